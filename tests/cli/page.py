"""What the tests of generated pages share. Each is started with the program, and compares its pages with what it
says; with --write behind it, it brings them up to date.
"""

import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def path(*names):
    """A file of the project."""
    return os.path.join(ROOT, *names)


def again(test):
    """What to do where a page differs; `test` is the test's __file__."""
    return f"out of date: run python3 tests/cli/{os.path.basename(test)} PROGRAM --write"


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def filled(text, name, part):
    """The page with `part` between <!-- name --> and <!-- end of name -->."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, rest = text.split(begin)
    return before + begin + "\n" + part + "\n" + end + rest.split(end)[1]


def program():
    """The first argument, as a path that holds from every folder; what is left is unittest's."""
    return os.path.abspath(sys.argv.pop(1))


def main(pages):
    """Writes the {path: text} that `pages()` gives where --write asks for it; else runs the tests of the script."""
    if sys.argv[1:] == ["--write"]:
        for name, text in pages().items():
            write(name, text)
    else:
        unittest.main()
