"""One table of what ci/versions found on each release of LibTorch.

    versions_table.py FOLDER RELEASE...     exit 0 all held, 1 one does not, 3 something was not run
"""

import json
import os
import sys

STEPS = ["build", "contracts", "check", "mutants"]
FACT = "{op}, {what}"


class Release:
    def __init__(self, folder, name):
        self.name, self.folder = name, os.path.join(folder, name)
        self.steps = {step: self.step(step) for step in STEPS}
        self.contracts = self.report("contracts").get("findings", [])
        self.mutants = {m["name"]: m["state"] in ("caught", "equivalent") for m in self.report("mutants").get("mutants", [])}
        self.results = self.report("check").get("results", [])

    def step(self, name):
        try:
            with open(os.path.join(self.folder, name + ".rc"), encoding="utf-8") as file:
                code, seconds = map(int, file.read().split())
                return code, seconds
        except FileNotFoundError:
            return None

    def report(self, name):
        try:
            with open(os.path.join(self.folder, name + ".json"), encoding="utf-8") as file:
                return json.load(file)
        except (FileNotFoundError, json.JSONDecodeError):
            return {}

    def failures(self):
        return {f"{r['property']} of {r['impl']} on {r['backend']}, {r['transport']}, {r['dtype']}"
                for r in self.results if r["verdict"] == "fail"}

    def facts(self):
        """What was found, by operator and fact; what was not run is none."""
        facts = {}
        for f in self.contracts:
            if f["state"] != "not_run" and f["witness"] in ("dispatcher", "returned here", "meta kernel"):
                facts.setdefault(FACT.format(**f), set()).add(f["found"])
        return {fact: " / ".join(sorted(found)) for fact, found in facts.items()}


def step_cell(step):
    if step is None:
        return "not run"
    code, seconds = step
    return f"{'held' if code == 0 else f'exit {code}'}, {seconds} s"


def print_rows(head, rows):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print()


def print_steps(releases):
    rows = [[step, *(step_cell(r.steps[step]) for r in releases)] for step in STEPS]
    count = lambda r, state: sum(f["state"] == state for f in r.contracts)
    rows.append(["facts that agree", *(str(count(r, "agrees")) for r in releases)])
    rows.append(["facts that differ", *(str(count(r, "differs")) for r in releases)])
    rows.append(["of meta kernels", *(str(sum(f["witness"] == "meta kernel" and f["state"] != "not_run"
                                             for f in r.contracts)) for r in releases)])
    rows.append(["failed properties", *(str(len(r.failures())) for r in releases)])
    rows.append(["mutants as listed", *(f"{sum(r.mutants.values())} of {len(r.mutants)}" for r in releases)])
    print_rows(["", *(r.name for r in releases)], rows)


def differing(releases, answers):
    """The keys on which the releases that have an answer do not agree, with a row for each."""
    keys = sorted(set().union(*(answers(r) for r in releases)))
    rows = [[key, *(str(answers(r).get(key, "-")) for r in releases)] for key in keys]
    return [row for row in rows if len(set(row[1:]) - {"-"}) > 1]


def print_differences(releases):
    """Between the releases. Schemas are long: a line each."""
    facts = differing(releases, Release.facts)
    short = [row for row in facts if not row[0].endswith(", schema")]
    if short:
        print_rows(["what differs", *(r.name for r in releases)], short)
    for row in facts:
        if row not in short:
            print(row[0], *(f"  {r.name}: {cell}" for r, cell in zip(releases, row[1:])), sep="\n", end="\n\n")
    caught = differing(releases, lambda r: {n: "as listed" if c else "NOT" for n, c in r.mutants.items()})
    if caught:
        print_rows(["mutant", *(r.name for r in releases)], caught)
    failed = sorted(set().union(*(r.failures() for r in releases)))
    if failed:
        print_rows(["failed property", *(r.name for r in releases)],
                   [[f, *("FAILED" if f in r.failures() else "-" for r in releases)] for f in failed])
    if len(releases) > 1 and not facts and not caught and not failed:
        print("nothing differs between these releases\n")


def exit_code(releases):
    """A build that fails says nothing of the release."""
    codes = [(name, None if step is None else step[0]) for r in releases for name, step in r.steps.items()]
    if any(code == 1 and name != "build" for name, code in codes):
        return 1
    return 0 if all(code == 0 for _, code in codes) else 3


def main(folder, names):
    releases = [Release(folder, name) for name in names]
    print_steps(releases)
    print_differences(releases)
    return exit_code(releases)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
