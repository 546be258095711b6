"""Backends that a parameter tells apart, and mutants that are wrong with some of them: backends_test.py PROGRAM"""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
FOLDER = tempfile.TemporaryDirectory()


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, cwd=FOLDER.name)


class Backends(unittest.TestCase):
    def refused(self, *arguments, says):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, done.stderr)

    def test_a_backend_with_a_parameter(self):
        releases = "cudnn_emulated:2.5, "
        self.refused("check", "--backend", "cudnn_emulated", says=["needs a release of LibTorch", releases])
        self.refused("check", "--backend", "cudnn_emulated:2.4", says=["takes a release of LibTorch", releases])
        self.refused("replay", "impl=ring backend=cudnn_emulated:3 mesh=1x1 q=2 d=8", says=releases)
        short = ["--quiet", "--impl", "ring", "--mesh", "2x1", "--transport", "sim", "--cases", "3"]
        done = run("check", *short, "--backend", "cudnn_emulated:2.5,cudnn_emulated:2.15")
        self.assertNotIn("FAILED", done.stdout)
        for part in ["cudnn_emulated:2.5", "cudnn_emulated:2.15", "bf16", "f16"]:
            self.assertIn(part, done.stdout)
        self.assertNotIn("f32", done.stdout)
        self.refused("check", *short, "--backend", "cudnn_emulated:2.8", "--dtype", "f32", says="bfloat16 and float16 alone")

    def test_emulated_forms_hold_over_processes(self):
        for case in [
            "impl=ring backend=cudnn_emulated:2.8 mesh=3x1 q=12 kv=15 h=2 d=8 dtype=bf16",
            "impl=unified backend=cudnn_emulated:2.9 mesh=2x2 q=16 h=4 hkv=2 d=16 dtype=f16",
        ]:
            done = run("replay", case + " transport=gloo seed=5")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(", 0 failed, 0 could not be judged", done.stdout)

    def test_a_mutant_is_caught_where_it_is_wrong_and_right_elsewhere(self):
        done = run("mutants", "--mutant", "B1,B2,B3,B15,A12,A13", "--cases", "60", "--quiet")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("6 of 6 mutants caught", done.stdout)
        self.assertEqual(done.stdout.count("right on cudnn_emulated:2.8: no failure in 60 drawn cases"), 3)
        self.assertEqual(done.stdout.count("right on cudnn_emulated:2.9: no failure in 60 drawn cases"), 1)
        self.assertEqual(done.stdout.count("caught on cudnn_emulated:2.8"), 2)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
