"""attncheck compare, on reports that the program wrote: compare_test.py PROGRAM"""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
ONE = ["--mesh", "3x1", "--cases", "8", "--property", "gradients_match_reference"]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def report(self, impl):
        path = os.path.join(self.folder, impl.replace(":", "_") + ".json")
        run("check", "--impl", impl, *ONE, "--transport", "sim", "--dtype", "f64", "--backend",
            "math", "--corpus", "none", "--json", path, "--quiet")  # fmt: skip
        return path

    # As if the ring had got the fault.
    def report_of_a_broken_ring(self):
        path = self.report("mutant:A10")
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace("mutant:A10", "ring"))
        return path

    def test_a_report_is_as_it_was(self):
        path = self.report("ring")
        done = run("compare", path, path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 new failures", done.stdout)
        self.assertIn("1 the same", done.stdout)

    def test_a_new_failure_is_exit_1_and_a_fixed_one_is_not(self):
        right, wrong = self.report("ring"), self.report_of_a_broken_ring()
        worse = run("compare", right, wrong)
        self.assertEqual(worse.returncode, 1, worse.stdout + worse.stderr)
        self.assertIn("new failure   ring on math, sim, f64: gradients_match", worse.stdout)
        self.assertIn("case impl=ring mesh=3x1 q=3 d=1", worse.stdout)
        better = run("compare", wrong, right)
        self.assertEqual(better.returncode, 0, better.stdout + better.stderr)
        self.assertIn("fixed         ring on math, sim, f64: gradients_match", better.stdout)

    def test_what_is_no_longer_judged_is_exit_3(self):
        lost = run("compare", self.report("ring"), self.report("allgather_kv"))
        self.assertEqual(lost.returncode, 3, lost.stdout + lost.stderr)
        self.assertIn("pass -> absent", lost.stdout)

    def test_a_file_that_is_no_report_is_refused_by_name(self):
        path = self.report("ring")
        nothing = os.path.join(self.folder, "none.json")
        text = os.path.join(self.folder, "text.json")
        with open(text, "w") as file:
            file.write("{")
        for other, says in ((nothing, "cannot read"), (text, "no JSON"), (self.folder, "none")):
            done = run("compare", path, other)
            self.assertEqual(done.returncode, 2, other)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            if other != self.folder:
                self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
