"""What the scripts of ci/ say of what they read: scripts_test.py"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ci", "lib")
REPORT = """<testsuite>
<testcase name="Ring.Turns" status="run"/>
<testcase name="Ring.Breaks" status="fail"><failure message=""/></testcase>
<testcase name="OnGpu.Sums" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>gpu_groups_test.cpp:33: Skipped
not_run: no CUDA device
</system-out></testcase>
<testcase name="OnGpu.Carries" status="notrun"><skipped message=""/>
<system-out>not_run: no CUDA device</system-out></testcase>
<testcase name="Gone" status="disabled"/>
</testsuite>"""


def run(script, *arguments):
    return subprocess.run(
        [sys.executable, "-B", os.path.join(LIB, script), *arguments], capture_output=True, text=True, timeout=60
    )


class CountTests(unittest.TestCase):
    def test_what_did_not_run_is_counted_apart_with_its_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tests.xml")
            with open(path, "w") as file:
                file.write(REPORT)
            lines = run("count_tests.py", path).stdout.splitlines()
        self.assertEqual(
            lines,
            [
                "tests: 1 passed, 1 failed, 3 not run",
                "tests: not_run: no CUDA device (2): OnGpu.Sums, OnGpu.Carries",
                "tests: not_run: disabled (1): Gone",
            ],
        )


class SameCommands(unittest.TestCase):
    def compared(self, first, second):
        with tempfile.TemporaryDirectory() as folder:
            for name, flags in [("cpu", first), ("cuda", second)]:
                place = os.path.join(folder, name)
                os.mkdir(place)
                entries = [{"command": f"c++ {flag} -I{place}/lib -c {flag}.cpp"} for flag in flags]
                with open(os.path.join(place, "compile_commands.json"), "w") as file:
                    json.dump(entries, file)
            return run("same_commands.py", os.path.join(folder, "cpu"), os.path.join(folder, "cuda"))

    def test_differ_by_the_folder_alone(self):
        done = self.compared(["a", "b"], ["b", "a"])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 commands", done.stdout)

    def test_a_command_of_one_alone_is_named(self):
        for first, second in [(["a"], ["a", "gpu"]), (["a", "gpu"], ["a"])]:
            done = self.compared(first, second)
            self.assertEqual(done.returncode, 1)
            self.assertIn("gpu.cpp", done.stdout)


if __name__ == "__main__":
    unittest.main()
