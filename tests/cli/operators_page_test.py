"""docs/mutation_operators.md has the operators that the program has:

operators_page_test.py PROGRAM           compares
operators_page_test.py PROGRAM --write   brings the page up to date
"""

import re
import subprocess
import unittest

import page

PAGE = page.path("docs", "mutation_operators.md")
AGAIN = page.again(__file__)
METHODS = ["ring", "ulysses", "unified", "allgather_kv"]
PHASES = {"forward": "f", "backward": "b", "both": "fb"}
NAME = re.compile(rf"sys_({'|'.join(METHODS)})_(\w+)_({'|'.join(PHASES)})$")
EQUIVALENT = "; equivalent: "


def printed(program):
    return subprocess.run([program, "list", "mutants"], capture_output=True, text=True, check=True, timeout=60).stdout


class Operator:
    def __init__(self, fault):
        self.fault, self.cells, self.properties, self.reasons = fault, {m: [] for m in METHODS}, [], []

    def add(self, method, phase, prop, reason):
        self.cells[method].append(PHASES[phase] + ("=" if reason else ""))
        caught_by = "nothing" if reason else f"`{prop}`"
        if caught_by not in self.properties:
            self.properties.append(caught_by)
        if reason and reason not in self.reasons:
            self.reasons.append(reason)


def in_the_order_of_phases(line):
    return list(PHASES).index(line.split()[0].rsplit("_", 1)[-1]) if line.startswith("sys_") else -1


def operators(text):
    """{name: Operator} of the systematic mutants among what the program prints."""
    found = {}
    for line in sorted(text.splitlines(), key=in_the_order_of_phases):
        name, prop, rest = line.split(None, 2)
        match = NAME.match(name)
        if not match:
            continue
        method, operator, phase = match.groups()
        fault, _, reason = rest.partition(EQUIVALENT)
        fault = fault.split(": ", 1)[1].rsplit(" (mutation operator)", 1)[0]
        found.setdefault(operator, Operator(fault)).add(method, phase, prop, reason)
    return dict(sorted(found.items()))


def table(found):
    lines = [f"| operator | what is wrong | {' | '.join(METHODS)} | caught by |",
             f"| --- | --- |{' --- |' * len(METHODS)} --- |"]
    for name, operator in found.items():
        cells = [" ".join(operator.cells[method]) or "-" for method in METHODS]
        lines.append(f"| `{name}` | {operator.fault} | {' | '.join(cells)} | {', '.join(operator.properties)} |")
    count = sum(len(cells) for operator in found.values() for cells in operator.cells.values())
    lines += ["", f"{len(found)} operators, {count} mutants.", ""]
    for name, operator in found.items():
        lines += [f"`{name}` is equivalent: {reason}." for reason in operator.reasons]
    return "\n".join(lines).rstrip() + "\n"


def pages():
    return {PAGE: page.filled(page.read(PAGE), "operators", table(operators(printed(PROGRAM))))}


class OperatorsPage(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_of_the_mutants_that_the_program_lists(self):
        self.assertEqual(page.read(PAGE), pages()[PAGE], AGAIN)

    def test_every_systematic_mutant_has_a_name_of_method_operator_and_phase(self):
        names = [line.split()[0] for line in printed(PROGRAM).splitlines()]
        systematic = [name for name in names if name.startswith("sys_")]
        self.assertGreaterEqual(len(systematic), 120)
        self.assertEqual([name for name in systematic if not NAME.match(name)], [])


if __name__ == "__main__":
    PROGRAM = page.program()
    page.main(pages)
