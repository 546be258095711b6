"""The output that docs/read_a_failure.md and README.md show is what the program prints:

failure_page_test.py PROGRAM           compares
failure_page_test.py PROGRAM --write   brings the pages up to date

A block stands behind a comment with its command, `<!-- output: replay 'CASE' -->`. `| from TEXT to TEXT` shows
the lines from the first that has the one text to the next that has the other.
"""

import re
import shlex
import subprocess
import tempfile
import unittest

import page

LEAST_BLOCKS = {page.path("README.md"): 1, page.path("docs", "read_a_failure.md"): 6}
AGAIN = page.again(__file__)
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


def block(match):
    head, words, first, last, _, foot = match.groups()
    return head + part(printed(PROGRAM, words), first, last).strip("\n") + "\n" + foot


def pages():
    return {path: BLOCK.sub(block, page.read(path)) for path in LEAST_BLOCKS}


def in_any_rounding(text):
    """Without what the order of additions decides, which is the LibTorch's own."""
    text = re.sub(r"-?\d+\.\d{9,}", lambda number: f"{float(number.group()):.6g}", text)
    return re.sub(r"right \(error \d\.?\d*e-1[5-9],", "right (error of rounding,", text)


class FailurePages(unittest.TestCase):
    maxDiff = None

    def test_every_block_is_what_the_program_prints(self):
        for path, text in pages().items():
            shown = page.read(path)
            self.assertEqual(in_any_rounding(shown), in_any_rounding(text), AGAIN)

    def test_every_marker_has_its_block(self):
        for path, least in LEAST_BLOCKS.items():
            shown = page.read(path)
            self.assertGreaterEqual(len(BLOCK.findall(shown)), least, path)
            self.assertEqual(shown.count("<!-- output:"), len(BLOCK.findall(shown)), "a marker without its block")


if __name__ == "__main__":
    PROGRAM = page.program()
    page.main(pages)
