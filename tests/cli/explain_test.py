"""What `attncheck explain` shows of a case: explain_test.py PROGRAM"""

import os
import subprocess
import sys
import unittest

PROGRAM = None


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)


class Explanation(unittest.TestCase):
    def test_explain_shows_owners_and_the_sum(self):
        done = run("explain", "impl=mutant:A10 mesh=3x1 q=3 d=1 seed=17")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("right sum, wrong owner", done.stdout)
        self.assertIn("arrives at rank", done.stdout)

    def test_explain_names_the_first_wrong_step_where_keys_go_round(self):
        case = "impl=mutant:sys_ring_skips_a_step_{} mesh=4x1 q=8 d=1 rotate=p2p"
        done = run("explain", case.format("forward"))
        self.assertIn("the first wrong step of the ring (0 to 3): out 1,", done.stdout)
        done = run("explain", case.format("backward"))
        self.assertIn("the first wrong step of the ring (0 to 3): dQ 1, dK 1, dV 1\n", done.stdout)

    def test_explain_names_the_nearest_wrong_keys_where_keys_are_gathered(self):
        done = run("explain", "impl=mutant:A10 mesh=3x1 q=3 d=1 seed=17")
        self.assertIn("wrong from so many ring ranks back (0 to 2): dK 1, dV 1\n", done.stdout)

    def test_explain_of_a_right_case_shows_no_fault(self):
        done = run("explain", "impl=unified mesh=2x2 q=4 h=2 d=3 seed=17")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no fault is shown", done.stdout)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
