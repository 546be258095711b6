"""README.md's picture is what docs/make_picture makes: picture_test.py PROGRAM"""

import os
import struct
import subprocess
import sys
import tempfile
import unittest

from browsed import program

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
NAME = "docs/pictures/a10_ring3.png"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def size(data):
    """(width, height) of a PNG, as its first chunk has them."""
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        raise ValueError("no PNG")
    return struct.unpack(">II", data[16:24])


class Picture(unittest.TestCase):
    def test_the_script_makes_one_of_the_size_of_the_one_that_is_kept(self):
        kept = read(os.path.join(ROOT, NAME))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "made.png")
            command = [sys.executable, "-B", os.path.join(ROOT, "docs", "make_picture"), PROGRAM, path]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            made = read(path)
        self.assertEqual(size(made), size(kept), "out of date: run docs/make_picture PROGRAM")
        self.assertLess(max(len(made), len(kept)), 100_000)

    def test_the_readme_shows_it_and_says_what_it_shows(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"!\[[^\]]{40,}\]\(" + NAME + r"\)")


if __name__ == "__main__":
    PROGRAM = program()
    unittest.main()
