"""What became of a run of ctest, from its JUnit report: count_tests.py REPORT

Prints one line of counts, in which a test that did not run is no pass, and one line for each reason.
"""

import collections
import re
import sys
import xml.etree.ElementTree


def kind_of(case):
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "not run"
    return "passed"


def reason_of(case):
    output = case.findtext("system-out") or ""
    said = re.search(r"not_run: (.*)", output)
    return said.group(1).strip() if said else case.get("status", "no reason given")


def summary(cases):
    kinds = collections.Counter(kind_of(case) for case in cases)
    yield ", ".join(f"{kinds[kind]} {kind}" for kind in ("passed", "failed", "not run"))
    missing = [case for case in cases if kind_of(case) == "not run"]
    for reason, count in collections.Counter(reason_of(case) for case in missing).items():
        names = ", ".join(case.get("name") for case in missing if reason_of(case) == reason)
        yield f"not_run: {reason} ({count}): {names}"


if __name__ == "__main__":
    for line in summary(xml.etree.ElementTree.parse(sys.argv[1]).getroot().findall("testcase")):
        print("tests:", line)
