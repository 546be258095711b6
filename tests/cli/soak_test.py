"""A soak that holds, and one that finds something: soak_test.py PROGRAM SOAK"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = SOAK = None


class Soak(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def soak(self, *arguments):
        command = [sys.executable, "-B", SOAK, PROGRAM, self.folder.name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=200)

    def calls(self):
        with open(self.path("closest.json")) as file:
            return json.load(file)["closest_calls"]

    def test_a_soak_keeps_seeds_and_closest_calls_and_goes_on_from_them(self):
        first = self.soak("1", "7", "--impl", "merge:logaddexp", "--mesh", "1x1")
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        self.assertIn("closest calls, by property and dtype:", first.stdout)
        self.assertIn("a second, exit 0", first.stdout)
        with open(self.path("seeds.txt")) as file:
            lines = file.read().splitlines()
        self.assertIn("seed 7: exit 0", lines[0])
        self.assertIn("--seed 7 ", lines[0])
        before = {call["property"]: call["share"] for call in self.calls() if call["dtype"] == "f64"}
        self.assertTrue(before)
        self.soak("1", "8", "--impl", "merge:logaddexp", "--mesh", "1x1")
        after = {call["property"]: call["share"] for call in self.calls() if call["dtype"] == "f64"}
        for name, share in before.items():
            self.assertGreaterEqual(after[name], share, name)

    def test_a_soak_stops_at_the_first_failure_with_its_case(self):
        done = self.soak("60", "1", "--impl", "mutant:A19", "--mesh", "2x1",
                         "--property", "gradients_match_reference")  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("attncheck replay 'impl=mutant:A19", done.stdout)
        self.assertIn("1 rounds, ", done.stdout)
        self.assertIn("exit 1", done.stdout.splitlines()[-1])

    def test_a_time_that_is_none_is_refused(self):
        for arguments in ["x"], ["1", "x"]:
            done = self.soak(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    PROGRAM, SOAK = [os.path.abspath(sys.argv.pop(1)) for _ in range(2)]
    unittest.main()
