"""The output that docs/read_a_failure.md and README.md show is what the program prints:

failure_page_test.py PROGRAM           compares
failure_page_test.py PROGRAM --write   brings the pages up to date

A block stands behind a comment with its command, `<!-- output: replay 'CASE' -->`. `| from TEXT to TEXT` shows
the lines from the first that has the one text to the next that has the other.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGES = [os.path.join(ROOT, name) for name in ("README.md", os.path.join("docs", "read_a_failure.md"))]
AGAIN = "out of date: run python3 tests/cli/failure_page_test.py PROGRAM --write"
BLOCK = re.compile(r"(<!-- output: (.*?)(?: \| from (.*) to (.*))? -->\n```\n)((?s:.*?))(```\n)")
FAILED = 1


def printed(program, words):
    """What it says of a failure; where a time or a path stands depends on the machine."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, *shlex.split(words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=folder)
    if done.returncode != FAILED:
        raise AssertionError(f"{words} ended with {done.returncode}, not {FAILED}: {done.stderr}")
    text = re.sub(r"\b\d+(\.\d+)? (seconds|s|ms)\b", r"N \2", done.stdout)
    return re.sub(r"(?<![\w:])/(?:[\w.+-]+/)+[\w.+-]+", "PATH", text)


def part(text, first, last):
    if first is None:
        return text
    lines = text.splitlines(keepends=True)
    begin = next((i for i, line in enumerate(lines) if first in line), None)
    end = next((i for i, line in enumerate(lines[begin:], begin) if last in line), None) if begin is not None else None
    if end is None:
        raise AssertionError(f"nothing from {first!r} to {last!r} in:\n{text}")
    return "".join(lines[begin : end + 1])


def page_with(page, program):
    def block(match):
        head, words, first, last, _, foot = match.groups()
        return head + part(printed(program, words), first, last).strip("\n") + "\n" + foot

    return BLOCK.sub(block, page)


def in_any_rounding(page):
    """Without what the order of additions decides, which is the LibTorch's own."""
    page = re.sub(r"-?\d+\.\d{9,}", lambda number: f"{float(number.group()):.6g}", page)
    return re.sub(r"right \(error \d\.?\d*e-1[5-9],", "right (error of rounding,", page)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class FailurePages(unittest.TestCase):
    maxDiff = None

    def test_every_block_is_what_the_program_prints(self):
        for path, least in zip(PAGES, (1, 6)):
            page = read(path)
            self.assertGreaterEqual(len(BLOCK.findall(page)), least, path)
            self.assertEqual(page.count("<!-- output:"), len(BLOCK.findall(page)), "a marker without its block")
            self.assertEqual(in_any_rounding(page), in_any_rounding(page_with(page, PROGRAM)), AGAIN)


def write():
    for path in PAGES:
        page = page_with(read(path), PROGRAM)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
