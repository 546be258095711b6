"""docs/kill_matrix.md and docs/kill_matrix_table.md say what each property is worth:

kill_matrix_page_test.py PROGRAM            runs some cases of the first seed and compares them with the table
kill_matrix_page_test.py pages              compares the page with the table, and both with the reasons
kill_matrix_page_test.py PROGRAM --write    runs all seeds and writes both
kill_matrix_page_test.py PROGRAM --write REPORT.json...     from reports of `mutants --matrix --json`; where several
                                            have a mutant, the last one counts
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

import page
from page import read, write

PAGE = page.path("docs", "kill_matrix.md")
TABLE = page.path("docs", "kill_matrix_table.md")
REASONS = page.path("docs", "kill_matrix_reasons.txt")
SEEDS, CASES, LIMIT = 5, 40, 7200
FIRST_CASES = 10  # of the first seed: as much as a gate has time for
AGAIN = "python3 tests/cli/kill_matrix_page_test.py build/cpu/bin/attncheck --write"
# These hold two runs of the subject to each other, within what the right values allow. What a mutant makes may be larger,
# and then its roundings alone, which are the processor's, decide whether the two differ.
BY_ROUNDING = {
    "batch_and_head_are_independent",
    "duplicated_keys_add_log_two_to_lse",
    "gradients_do_not_depend_on_who_else_requires_grad",
    "key_order_does_not_matter",
    "mesh_does_not_matter",
    "output_is_linear_in_value",
    "shifting_keys_by_a_constant_vector_shifts_lse",
    "views_and_strides_do_not_matter",
    "vjp_is_linear_in_cotangent",
}
MOST_BY_ROUNDING = 0.05  # of the mutants; 12 of 410 between two machines that were tried
NEVER = float("inf")
LISTED = "listed"

TABLE_HEAD = """# Which property catches which mutant

Never edited by hand; [kill_matrix.md](kill_matrix.md) says how it is written, and what follows from it. `2/3 a, b`: the
properties a and b caught the mutant after 2 drawn cases, the median of {seeds}, and after 3 with the first seed;
`-`: they did not within {cases} cases (before the slash: on fewer than half of the seeds, so that it does not count as
a kill); `listed`: on the case that the mutant lists, and on drawn ones not so that it counts.

"""
PAGE_HEAD = """# The kill matrix

What each property is worth: every property judged every mutant of the catalogue, on {seeds} with up to {cases} drawn
cases each (`attncheck mutants --matrix`, see [mutants.md](mutants.md)). Of {mutants} mutants {caught} are caught{equivalent};
the property that is first takes {median} drawn cases for the median mutant.

This page and [the table by mutant](kill_matrix_table.md), from which it follows, are written by

```
{again}
```

A test runs the first {first} cases of the first seed and holds them to the table. Properties that hold two runs of a
subject to each other may differ from it for one mutant in twenty: there the roundings of wrong values count, and they
are the processor's.

- kills: mutants that the property catches on half of the seeds or more, or by the case that the mutant lists.
- cases: the median, over its kills, of the drawn cases until then.
- first: mutants that it catches after fewer cases than any other property; without it they are caught later.
- alone: mutants that no other property catches on any seed; without it they survive.

"""


def report_of(program, seeds, cases):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.json")
        command = [program, "mutants", "--matrix", "--seeds", str(seeds), "--cases", str(cases), "--quiet", "--json", path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=folder)
        if done.returncode not in (0, 1):  # 1: a mutant that these seeds and cases do not show
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr}")
        return json.loads(read(path))


def seeds_text(count):
    return f"{count} seed{'s' if count > 1 else ''}"


def word(pair, cases):
    return LISTED if pair["by_listed"] else "-" if cases is None else str(cases)


def entries_of(row):
    """{property: (median, first seed)} of those that caught the mutant, as words."""
    caught = [pair for pair in row["pairs"] if pair["verdict"] == "fail"]
    return {p["property"]: (word(p, p["cases"]), "-" if p["by_seed"][0] is None else str(p["by_seed"][0])) for p in caught}


def number(text):
    return NEVER if text == "-" else 10**6 if text == LISTED else int(text)


def first_cases(entries):
    """What the first cases of the first seed show."""
    return {name: words[1] for name, words in entries.items() if number(words[1]) <= FIRST_CASES}


def unlike_entries(found, listed):
    """{property: (cases found, cases listed)} where they are not the same."""
    names = sorted(found.keys() | listed.keys())
    return {n: (found.get(n, "-"), listed.get(n, "-")) for n in names if found.get(n) != listed.get(n)}


def entries_text(entries):
    return ", ".join(f"{name} after {found}, the table has {listed}" for name, (found, listed) in entries.items())


def row_text(row):
    groups = {}
    for name, words in entries_of(row).items():
        groups.setdefault(words, []).append(name)
    order = sorted(groups, key=lambda words: [number(w) for w in words])
    return "; ".join(f"{'/'.join(words)} {', '.join(groups[words])}" for words in order)


def table_text(report):
    text = TABLE_HEAD.format(seeds=seeds_text(len(report["seeds"])), cases=report["cases"])
    text += "Properties: " + ", ".join(p["name"] for p in report["properties"]) + "\n\n"
    text += "| mutant | caught by |\n| --- | --- |\n"
    for row in report["matrix"]:
        text += f"| {row['name']} | {'equivalent' if row['equivalent'] else row_text(row)} |\n"
    return text


class Table:
    """What the table says: the properties, and {mutant: {property: (median, first seed)}}; of an equivalent one None."""

    def __init__(self, text):
        self.seeds, self.cases = map(int, re.search(r"median of (\d+) seed.*?within (\d+) cases", text, re.S).groups())
        self.properties = re.search(r"^Properties: (.*)$", text, re.M).group(1).split(", ")
        self.mutants = {}
        for line in text.split("| --- | --- |\n")[1].splitlines():
            name, cell = [part.strip() for part in line.strip("|").split("|")]
            self.mutants[name] = None if cell == "equivalent" else dict(self.entries(cell))

    @staticmethod
    def entries(cell):
        for group in filter(None, cell.split("; ")):
            words, names = group.split(" ", 1)
            for name in names.split(", "):
                yield name, tuple(words.split("/"))

    def first_cases(self):
        return {m: first_cases(e) for m, e in self.mutants.items() if e is not None}


def middle(numbers):
    return statistics.median_low(numbers) if numbers else NEVER


def shown(value):
    return str(value) if value < 10**6 else "-"


class Worth:
    """Of one property."""

    def __init__(self, name, table):
        self.cases, self.alone, self.first = [], [], 0
        for mutant, entries in table.mutants.items():
            if not entries or number(entries.get(name, "-")[0]) == NEVER:
                continue
            self.cases.append(number(entries[name][0]))
            if len(entries) == 1:
                self.alone.append(mutant)
            elif self.cases[-1] < min(number(words[0]) for other, words in entries.items() if other != name):
                self.first += 1

    def cells(self):
        return [str(len(self.cases)), shown(middle(self.cases)), str(self.first), ", ".join(self.alone) or "-"]


def reasons_of(text):
    lines = [line.split("|") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {name.strip(): reason.strip() for name, reason in lines}


def page_text(table, reasons):
    worth = {name: Worth(name, table) for name in table.properties}
    wrong = [entries for entries in table.mutants.values() if entries is not None]
    soonest = [min((number(words[0]) for words in entries.values()), default=NEVER) for entries in wrong]
    equal = len(table.mutants) - len(wrong)
    text = PAGE_HEAD.format(
        again=AGAIN, first=FIRST_CASES, seeds=seeds_text(table.seeds), cases=table.cases, mutants=len(table.mutants),
        caught=sum(s < NEVER for s in soonest), median=shown(middle(soonest)),
        equivalent=f", {equal} are equivalent and caught by none" if equal else "",
    )  # fmt: skip
    text += "| property | kills | cases | first | alone |\n| --- | --- | --- | --- | --- |\n"
    for name, w in worth.items():
        text += f"| `{name}` | {' | '.join(w.cells())} |\n"
    kept = [name for name, w in worth.items() if not w.alone]
    if kept:
        text += "\n## Those that catch nothing alone, and why they stay\n\n| property | why |\n| --- | --- |\n"
        text += "".join(f"| `{name}` | {reasons.get(name, 'NO REASON: add one to docs/kill_matrix_reasons.txt')} |\n" for name in kept)
    return text


class Pages(unittest.TestCase):
    def setUp(self):
        self.table = Table(read(TABLE))
        self.reasons = reasons_of(read(REASONS))

    def test_the_page_follows_from_the_table_and_the_reasons(self):
        self.assertEqual(read(PAGE), page_text(self.table, self.reasons), AGAIN)

    def test_every_mutant_is_caught_or_equivalent(self):
        for mutant, entries in self.table.mutants.items():
            killed = entries is None or any(number(words[0]) < NEVER for words in entries.values())
            self.assertTrue(killed, f"{mutant} survives: attncheck mutants --matrix --mutant {mutant}")

    def test_every_property_that_catches_nothing_alone_has_a_reason_and_no_other(self):
        without = {name for name in self.table.properties if not Worth(name, self.table).alone}
        self.assertEqual(set(self.reasons), without, "docs/kill_matrix_reasons.txt: a reason is missing, or stale")


class FirstCases(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_what_the_program_finds(self):
        table, report = Table(read(TABLE)), report_of(PROGRAM, 1, FIRST_CASES)
        self.assertEqual([p["name"] for p in report["properties"]], table.properties, AGAIN)
        self.assertEqual([row["name"] for row in report["matrix"]], list(table.mutants), AGAIN)
        found = {row["name"]: first_cases(entries_of(row)) for row in report["matrix"] if not row["equivalent"]}
        listed = table.first_cases()
        self.assertEqual(found.keys(), listed.keys(), AGAIN)
        unlike = {name: unlike_entries(found[name], listed[name]) for name in found}
        clear = [f"{m}: {entries_text(e)}" for m, e in unlike.items() if set(e) - BY_ROUNDING]
        rounded = [f"{m}: {entries_text(e)}" for m, e in unlike.items() if e and not set(e) - BY_ROUNDING]
        self.assertFalse(clear, "\n".join(clear) + "\n" + AGAIN)
        self.assertLessEqual(len(rounded), MOST_BY_ROUNDING * len(found), "\n".join(rounded) + "\n" + AGAIN)
        print(f"{len(found) - len(rounded)} mutants as listed, {len(rounded)} but for roundings", file=sys.stderr)


def joined(program, reports):
    """One report of several, with the mutants that the program knows, in its order."""
    if len({(tuple(r["seeds"]), r["cases"]) for r in reports}) != 1:
        raise SystemExit("the reports are not of the same seeds and number of cases")
    rows = {row["name"]: row for report in reports for row in report["matrix"]}
    listed = subprocess.run([program, "list", "mutants"], capture_output=True, text=True, check=True, timeout=60).stdout
    names = [line.split()[0] for line in listed.splitlines() if line.strip()]
    missing = [name for name in names if name not in rows]
    if missing:
        raise SystemExit(f"no report has {', '.join(missing)}")
    return {**reports[-1], "matrix": [rows[name] for name in names]}


def write_pages(report):
    write(TABLE, table_text(report))
    write(PAGE, page_text(Table(read(TABLE)), reasons_of(read(REASONS))))


if __name__ == "__main__":
    first = sys.argv.pop(1)
    if first == "pages":
        unittest.main(defaultTest="Pages")
    PROGRAM = os.path.abspath(first)
    if sys.argv[1:2] == ["--write"]:
        given = [json.loads(read(path)) for path in sys.argv[2:]]
        write_pages(joined(PROGRAM, given) if given else report_of(PROGRAM, SEEDS, CASES))
    else:
        unittest.main(defaultTest="FirstCases")
