"""Ranks that a real torchrun starts, over Gloo: torchrun_test.py PROGRAM

torchrun is ATTNCHECK_TORCHRUN, words of a shell (ci/torchrun gives a wheel's), else the one in PATH.
"""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import unittest

PROGRAM = None
LAUNCHER = None
CASE = ["replay", "impl=unified transport=gloo mesh=2x2 q=8 h=4 d=4 seed=3"]
ONE = ["--property", "output_matches_reference"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def alone(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=240)


def launched(world, *arguments):
    """What a wheel's Python needs is not the program's: it must not find other CUDA libraries."""
    return subprocess.run(
        [
            *LAUNCHER, "--no-python", "--nproc-per-node", str(world), "--master-addr", "127.0.0.1",
            "--master-port", str(free_port()), "env", "-u", "LD_LIBRARY_PATH", "-u", "PYTHONPATH",
            PROGRAM, *arguments,
        ],
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip


class Torchrun(unittest.TestCase):
    def test_its_world_judges(self):
        done = launched(4, *CASE, *ONE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, alone(*CASE, *ONE).stdout)

    # It has one code for all that is no success, and says each process's own.
    def test_a_fault_is_every_process_s_exit_code(self):
        done = launched(3, "replay", "impl=mutant:A10 transport=gloo mesh=3x1 q=3 d=1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("FAILED gradients_match_reference", done.stdout)
        self.assertRegex(done.stderr, r"exitcode\s*: 1 ")

    def test_a_wrong_world_is_said_once(self):
        done = launched(3, *CASE)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("mesh 2x2 has 4 ranks, and torchrun started 3"), 1, done.stderr)
        self.assertRegex(done.stderr, r"exitcode\s*: 2 ")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    LAUNCHER = shlex.split(os.environ.get("ATTNCHECK_TORCHRUN", shutil.which("torchrun") or ""))
    if not LAUNCHER:
        print("not_run: no torchrun here: ci/torchrun brings one")
        sys.exit(77)
    unittest.main()
