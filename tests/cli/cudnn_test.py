"""cuDNN asked without a GPU, and backends that are not here: cudnn_test.py PROGRAM"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
FOLDER = tempfile.TemporaryDirectory()
CUDA_BACKENDS = ["cudnn", "flash_cuda", "efficient_cuda"]


def run(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, cwd=FOLDER.name,
                          env={**os.environ, **environment})


def has_device():
    return "not here" not in run("list", "backends").stdout


class Surface(unittest.TestCase):
    def surface(self, *arguments):
        """What the program printed and its JSON, or None where cuDNN cannot be asked, which is exit 3."""
        path = os.path.join(FOLDER.name, "surface.json")
        done = run("contracts", "--cudnn", "--json", path, *arguments)
        with open(path) as file:
            report = json.load(file)
        if done.returncode != 3:
            return done, report
        self.assertTrue(done.stdout.startswith("not_run  "), done.stdout)
        self.assertIn(report["not_run"], done.stdout)
        return None

    def test_has_a_row_for_every_device_dtype_and_head_dim(self):
        asked = self.surface("--sm", "80,90")
        if asked is None:
            return
        done, report = asked
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(report["sm"], [80, 90])
        points = report["surface"]
        self.assertEqual({p["dtype"] for p in points}, {"bf16", "f16", "f32"})
        by = {(p["sm"], p["dtype"], p["d"], p["dv"], p["feature"]): p for p in points}
        self.assertEqual(len(by), len(points))
        self.assertTrue(by[90, "bf16", 256, 256, "plain"]["backward"]["supported"])
        self.assertFalse(by[80, "bf16", 256, 256, "plain"]["backward"]["supported"])
        self.assertFalse(by[90, "bf16", 256, 256, "plain"]["supports"], "LibTorch's releases differ about it")
        self.assertEqual(by[90, "f16", 64, 64, "causal"]["stats"], [2, 4, 100, 1])
        self.assertIn("SM 9.0, forward and backward engine", done.stdout)

    def test_a_library_that_is_not_there_is_not_run(self):
        done = run("contracts", "--cudnn", ATTNCHECK_CUDNN="/nowhere/libcudnn.so.9")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertTrue(done.stdout.startswith("not_run  "), done.stdout)

    def test_an_unknown_device_is_a_wrong_request(self):
        done = run("contracts", "--cudnn", "--sm", "91")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("91", done.stderr)
        self.assertIn("100", done.stderr)
        self.assertEqual(run("contracts", "--sm", "90").returncode, 2)
        self.assertEqual(run("contracts", "--cudnn", "--backend", "math").returncode, 2)


class BackendsOfCuda(unittest.TestCase):
    def setUp(self):
        if has_device():
            self.skipTest("there is a CUDA device here")

    def test_are_listed_with_the_reason_why_they_are_not_here(self):
        lines = run("list", "backends").stdout.splitlines()
        for name in CUDA_BACKENDS:
            self.assertTrue(any(line.startswith(name) and "no CUDA device here" in line for line in lines), lines)

    def test_are_not_checked_where_they_cannot_run(self):
        for name in CUDA_BACKENDS:
            done = run("check", "--backend", f"math,{name}", "--dtype", "bf16", "--cases", "1")
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn(f"not_run: backend {name}: no CUDA device here", done.stderr)

    def test_are_not_replayed_where_they_cannot_run(self):
        done = run("replay", "impl=local backend=cudnn mesh=1x1 q=4 d=8 dtype=bf16")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("no CUDA device here", done.stderr)

    def test_are_no_part_of_all(self):
        done = run("check", "--quiet", "--impl", "local", "--backend", "all", "--transport", "sim", "--dtype", "f64",
                   "--cases", "2", "--corpus", "none")
        self.assertNotEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("cudnn ", done.stdout)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
