"""Times of the methods, over Gloo on CPUs: methods_test.py PROGRAM PLUGINS"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = PLUGINS = None
SMALL = ["--quiet", "--scale", "0.004"]


def bench(*arguments):
    return subprocess.run(
        [PROGRAM, "bench", "methods", *arguments], capture_output=True, text=True, timeout=200
    )


def report_of(*arguments, scaled=True):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "methods.json")
        done = bench(*(SMALL if scaled else ["--quiet"]), "--transport", "gloo", "--json", path, *arguments)
        with open(path) as file:
            return done, json.load(file)


class Times(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done, cls.report = report_of("--world", "4", "--repetitions", "3")

    def passes(self):
        [shape] = self.report["shapes"]
        return {(p["impl"], p["mesh"], p["rotate"]): p for p in shape["passes"]}

    def test_are_there_for_the_kernel_and_every_method(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(self.report["bench"], "methods")
        self.assertEqual(
            set(self.passes()),
            {
                ("local", "1x1", "-"), ("ring", "4x1", "allgather"), ("ring", "4x1", "p2p"),
                ("unified", "2x2", "allgather"), ("unified", "2x2", "p2p"), ("ulysses", "1x4", "-"),
                ("allgather_kv", "4x1", "-"),
            },
        )  # fmt: skip
        for words, row in self.passes().items():
            for direction in ["forward", "backward"]:
                seconds = row[direction]["seconds"]
                self.assertGreater(seconds["low"], 0, words)
                self.assertLessEqual(seconds["low"], seconds["median"], words)
                self.assertLessEqual(seconds["median"], seconds["high"], words)

    def test_are_a_share_of_what_the_kernel_does_alone(self):
        passes = self.passes()
        for direction in ["forward", "backward"]:
            alone = passes["local", "1x1", "-"][direction]
            self.assertEqual(alone["percent"], {"median": 100.0, "low": 100.0, "high": 100.0})
            for words, row in passes.items():
                self.assertGreater(row[direction]["percent"]["low"], 0, words)

    def test_have_the_bytes_of_theory(self):
        for words, row in self.passes().items():
            if words[0] == "local":
                continue
            for direction in ["forward", "backward"]:
                theory = row[direction]["theory_bytes"]
                self.assertGreater(theory["least"], 0, words)
                self.assertGreaterEqual(row[direction]["received_bytes"], theory["least"], words)
                self.assertLessEqual(row[direction]["received_bytes"], theory["most"], words)

    def test_are_of_every_length_with_the_bound_of_a_causal_ring(self):
        done, report = report_of("--world", "2", "--repetitions", "1", "--lengths", "64,130", "--causal", scaled=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(s["tokens"], s["causal"]) for s in report["shapes"]], [(64, True), (132, True)])
        self.assertEqual([s.get("asked_tokens") for s in report["shapes"]], [None, 130])
        self.assertEqual({(s["heads"], s["kv_heads"], s["head_dim"]) for s in report["shapes"]}, {(24, 24, 128)})
        self.assertIn("\n132 tokens (of 130, so that ranks have alike), 24 heads", done.stdout)
        for shape in report["shapes"]:
            bounds = {p["impl"]: p.get("load_bound") for p in shape["passes"]}
            self.assertEqual(bounds, {"local": None, "ring": 2 / 3, "ulysses": None, "allgather_kv": None})
        self.assertRegex(done.stdout, r"\n  ring +2x1 p2p .* of 66\.7 ")
        self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 100], [])

    def test_of_exchanges_are_bandwidths_as_nccl_tests_has_them(self):
        [shape] = self.report["shapes"]
        by_name = {e["exchange"]: e for e in shape["exchanges"]}
        for name, size, factor in [
            ("all_gather", 4, 3 / 4), ("all_to_all", 1, 3 / 4), ("send_recv", 1, 1),
        ]:  # fmt: skip
            row = by_name[name]
            self.assertEqual(row["bytes"], shape["tokens"] // 4 * 24 * 128 * 2)
            self.assertAlmostEqual(row["algbw"] * row["seconds"]["median"], size * row["bytes"], delta=1)
            self.assertAlmostEqual(row["busbw"], row["algbw"] * factor, delta=1)

    def test_are_printed(self):
        for part in ["kernel alone", "allgather_kv", "busbw GB/s", "of 3 repetitions", "4 ranks"]:
            self.assertIn(part, self.done.stdout)


class Refusals(unittest.TestCase):
    def test_what_a_method_does_not_do_is_said(self):
        done, report = report_of("--world", "2", "--repetitions", "1", "--backend", "native")
        self.assertEqual(done.returncode, 0, done.stderr)
        passes = {p["impl"]: p for p in report["shapes"][0]["passes"]}
        self.assertNotIn("forward", passes["ring"])
        self.assertIn("log-sum-exp", passes["ring"]["not_timed"])
        self.assertIn("not timed: ", done.stdout)
        self.assertGreater(passes["ulysses"]["backward"]["seconds"]["median"], 0)

    def test_a_kernel_that_cannot_is_not_run(self):
        done, report = report_of("--world", "2", "--backend", "cudnn_emulated:2.9", "--dtype", "f64")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("bf16", report["shapes"][0]["not_run"])

    def test_wrong_requests_say_what_would_be_right(self):
        for arguments, says in [
            (["--transport", "sim"], "nccl, gloo"),
            (["--transport", "gloo", "--world", "2,4"], "one number of ranks, 2 given"),
            (["--transport", "gloo", "--world", "65"], "at most 64"),
            (["--transport", "gloo", "--backend", "mat"], "unknown backend 'mat'"),
            (["--transport", "gloo", "--dtype", "f8"], "unknown dtype"),
            (["--transport", "gloo", "--shapes", "fluxx"], "'flux'"),
            (["--transport", "gloo", "--scale", "0"], "above 0"),
            (["--transport", "gloo", "--scale", "nan"], "--scale"),
            (["--transport", "gloo", "--scale", "0.1", "--lengths", "64"], "--scale excludes --lengths"),
            (["--transport", "gloo", "--lengths", "0"], "--lengths"),
            (["--transport", "gloo", "--shapes", "llama3_8b", "--heads", "6"], "no multiple of 4"),
        ]:
            done = bench(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stdout, "")


class Waiting(unittest.TestCase):
    def test_a_round_that_is_too_long_for_the_limit_given_is_not_run(self):
        done = bench("--transport", "gloo", "--world", "2", "--lengths", "2048", "--repetitions", "1",
                     "--rank-timeout", "0.2")  # fmt: skip
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stdout, "not_run: rank [01]: .*--rank-timeout S gives a round more")

    def test_is_told_where_a_shape_begins(self):
        done = subprocess.run(
            [PROGRAM, "bench", "methods", "--transport", "gloo", "--world", "2", "--lengths", "64,128",
             "--heads", "4", "--repetitions", "1"], capture_output=True, text=True, timeout=200,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.splitlines(), ["timing flux, 64 tokens", "timing flux, 128 tokens"])
        self.assertIn("128 tokens, 4 heads (4 of k and v)", done.stdout)


class Peers(unittest.TestCase):
    def bench(self, *arguments):
        command = [PROGRAM, "bench", "peers", *SMALL, "--world", "2", "--repetitions", "2"]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=200)

    def test_a_slow_one_is_seen_beside_the_built_in_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "peers.json")
            plugin = os.path.join(PLUGINS, "waits_plugin.so")
            done = self.bench("--plugin", plugin, "--impl", "waits", "--json", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path) as file:
                report = json.load(file)
        self.assertEqual(report["bench"], "peers")
        [shape] = report["shapes"]
        rows = {(p["impl"], p["mesh"], p["rotate"]): p for p in shape["passes"]}
        self.assertEqual(
            {row for row in rows if row[0] == "waits"},
            {("waits", "2x1", "allgather"), ("waits", "2x1", "p2p"), ("waits", "1x2", "-")},
        )
        for row, times in rows.items():
            if row[0] == "waits":  # 0.1 s, whatever else the machine does
                self.assertGreaterEqual(times["forward"]["seconds"]["low"], 0.1)
        self.assertIn(("ring", "2x1", "p2p"), rows)
        self.assertRegex(done.stdout, "\n  waits +1x2 - ")

    def test_what_cannot_be_timed_is_said(self):
        for arguments, says in [
            ([], "name them by --impl"),
            (["--impl", "rin"], "'ring'"),
            (["--impl", "merge:logaddexp"], "no attention over a mesh"),
        ]:
            done = self.bench(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(says, done.stderr)


class Gpus(unittest.TestCase):
    def test_without_one_nothing_is_timed(self):
        if os.path.exists("/dev/nvidia0"):
            self.skipTest("not_run: there is a CUDA device")
        for arguments in [[], ["--transport", "nccl", "--world", "4"]]:
            done = bench(*arguments)
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn("not_run: no CUDA device: ", done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    PROGRAM, PLUGINS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
