"""docs/support.md and docs/support_table.md say what the program says:

support_page_test.py PROGRAM           compares
support_page_test.py PROGRAM --write   brings the pages up to date
"""

import re
import subprocess
import unittest

import page

TABLE = page.path("docs", "support_table.md")
PAGE = page.path("docs", "support.md")
SOURCES = page.path("docs", "support_sources.md")
AGAIN = page.again(__file__)
HEAD = """# What the built-in implementations support

What `supports()` answers, by implementation and backend, as `attncheck list support` prints it; never edited by hand
([support.md](support.md) says how it is brought up to date, and has the same rows for other libraries). "part" is
"yes" on some of the meshes. A row in code letters is a key of a case ([cases.md](cases.md)).

"""


def printed(program):
    return subprocess.run([program, "list", "support"], capture_output=True, text=True, check=True, timeout=60).stdout


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(text):
    """{implementation: {row: {backend: "yes", "no", "part" or "-"}}} of what the program prints."""
    found = {}
    for section in re.split(r"^### ", text, flags=re.M)[1:]:
        lines = [line for line in section.splitlines() if line.startswith("|")]
        backends = cells(lines[0])[1:]
        rows = {cells(line)[0]: [cell.split()[0] for cell in cells(line)[1:]] for line in lines[2:]}
        found[section.split()[0]] = {row: dict(zip(backends, says)) for row, says in rows.items()}
    return found


def summary(table, row):
    """One word for all backends that do the method at all; "auto" is one of the others, and nobody computes with an emulation."""
    if not table:
        return "no"
    aside = ("auto", "cudnn_emulated")
    does = [b for b, says in table["forward and backward"].items() if says != "no" and not b.startswith(aside)]
    says = {backend: table[row][backend] for backend in does}
    if len(set(says.values())) == 1:
        return next(iter(says.values()))
    return ", ".join(backend if word == "yes" else f"{backend} in part" for backend, word in says.items() if word != "no")


def page_from(text, found):
    """The page with its second column filled from what the program prints."""
    lines, table = [], None
    for line in text.splitlines():
        marker = re.fullmatch(r"<!-- support: (\w+) -->", line)
        if marker:
            table = found.get(marker.group(1), {})
        elif not line.startswith("|"):
            table = None
        elif table is not None and not line.startswith(("| asked for", "| ---")):
            row = cells(line)
            line = "| " + " | ".join([row[0], summary(table, row[0])] + row[2:]) + " |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def pages():
    text = printed(PROGRAM)
    return {TABLE: HEAD + text, PAGE: page_from(page.read(PAGE), tables(text))}


class SupportPages(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_what_the_program_prints(self):
        self.assertEqual(page.read(TABLE), pages()[TABLE], AGAIN)

    def test_the_column_beside_the_other_libraries_is_too(self):
        self.assertEqual(page.read(PAGE), pages()[PAGE], AGAIN)

    def test_all_tables_of_the_page_have_the_rows_that_have_a_name(self):
        named = [row for row in tables(printed(PROGRAM))["ring"] if not row.startswith("`")]
        for part in page.read(PAGE).split("<!-- support: ")[1:]:
            rows = [cells(line)[0] for line in part.split("\n\n")[0].splitlines()[3:]]
            self.assertEqual(rows, named, "the rows of docs/support.md are those of harness/drive/support_rows.cpp")

    def test_every_cell_of_another_library_has_its_source(self):
        sources = set(re.findall(r"^\| ([a-z]\d+) \|", page.read(SOURCES), re.M))
        for part in page.read(PAGE).split("<!-- support: ")[1:]:
            for line in part.split("\n\n")[0].splitlines()[3:]:
                for cell in cells(line)[2:]:
                    self.assertTrue(cell == "-" or cell.split()[-1] in sources, line)


if __name__ == "__main__":
    PROGRAM = page.program()
    page.main(pages)
