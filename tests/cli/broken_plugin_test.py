"""Plug-ins that break what asks them: broken_plugin_test.py PROGRAM FOLDER_OF_PLUGINS"""

import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = PLUGIN = None
FOLDER = tempfile.TemporaryDirectory()
QUICK = ["--quiet", "--dtype", "f64", "--backend", "math", "--mesh", "2x1,3x1", "--transport", "sim"]
QUICK += ["--cases", "20"]
REPLAY = "impl=%s mesh=2x1 q=2 d=1"


def run(wish, *arguments):
    return subprocess.run(
        [PROGRAM, *arguments, "--plugin", PLUGIN], capture_output=True, text=True, timeout=120,
        cwd=FOLDER.name, env={**os.environ, "ATTNCHECK_TEST_INIT": wish})  # fmt: skip


class Throws(unittest.TestCase):
    """Code that answers the coordinator and cannot: the rest of the run goes on, exit 3."""

    def checked(self, init, impls, properties):
        path = os.path.join(FOLDER.name, "broken.json")
        done = run(init, "check", "--impl", impls, "--property", properties, *QUICK, "--corpus",
                   "none", "--json", path)  # fmt: skip
        with open(path) as file:
            verdicts = {r["property"] + " of " + r["impl"]: r["verdict"] for r in json.load(file)["results"]}
        return done, verdicts

    def test_a_property_that_throws_is_named_and_judges_nothing(self):
        done, verdicts = self.checked("property_throws", "ring", "deed_of_tests,output_matches_reference")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        told = [l for l in done.stdout.splitlines() if l.startswith("not checked: ring")]
        [line] = [l for l in told if "deed_of_tests" in l]
        for part in ["the property 'deed_of_tests' (plug-in '" + PLUGIN,
                     "threw: unwell | second line, case: impl=ring mesh="]:  # fmt: skip
            self.assertIn(part, line)
        self.assertEqual(verdicts["deed_of_tests of ring"], "not_run")
        self.assertEqual(verdicts["output_matches_reference of ring"], "pass")

    def test_failures_beside_it_are_still_reported(self):
        done, verdicts = self.checked(
            "property_throws", "mutant:A10", "deed_of_tests,gradients_match_reference")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("FAILED gradients_match_reference", done.stdout)
        self.assertIn("the property 'deed_of_tests'", done.stdout)
        self.assertEqual(verdicts["gradients_match_reference of mutant:A10"], "fail")

    def test_a_supports_that_throws_is_named_and_other_streams_are_checked(self):
        done, verdicts = self.checked(
            "supports_throws", "asked_of_tests,ring", "output_matches_reference")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        [line] = [l for l in done.stdout.splitlines() if l.startswith("not checked:")]
        for part in ["supports() of 'asked_of_tests' on 'math' (plug-in '" + PLUGIN,
                     "threw: unwell | second line, case: impl=asked_of_tests mesh="]:  # fmt: skip
            self.assertIn(part, line)
        self.assertEqual(verdicts["output_matches_reference of asked_of_tests"], "not_run")
        self.assertEqual(verdicts["output_matches_reference of ring"], "pass")

    def test_a_replay_names_it_too(self):
        for init, impl, says in [("property_throws", "ring", "the property 'deed_of_tests'"),
                                 ("supports_throws", "asked_of_tests", "supports() of 'asked_of_tests'")]:  # fmt: skip
            done = run(init, "replay", REPLAY % impl)
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertIn(says, done.stdout + done.stderr)


class Ends(unittest.TestCase):
    """Code that ends the process which asks it: one line says what was asked."""

    def ended(self, wish, code, says, impl="ring"):
        done = run(wish, "replay", REPLAY % impl)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        [line] = [l for l in done.stderr.splitlines() if l.startswith("attncheck:")]
        self.assertIn("could not check: ", line)
        self.assertIn(says, line)
        self.assertNotIn("--isolate", line)

    def test_exit_is_exit_3_and_says_where_it_was(self):
        said = "code under test ended this program by exit() in "
        self.ended("init_exits", 3, f"{said}the init of plug-in '{PLUGIN}'")
        self.ended("property_exits", 3, f"{said}the property 'deed_of_tests', case: impl=ring mesh=2x1")
        self.ended("supports_exits", 3, f"{said}supports() of 'asked_of_tests', case: impl=asked",
                   impl="asked_of_tests")  # fmt: skip

    def test_exit_of_a_rank_of_sim_is_told_of_isolation(self):
        done = subprocess.run(
            [PROGRAM, "replay", REPLAY % "asked_of_tests", "--no-isolate", "--plugin", PLUGIN],
            capture_output=True, text=True, timeout=120,
            env={**os.environ, "ATTNCHECK_TEST_INIT": "attention_exits"})  # fmt: skip
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("--isolate runs it in a process of its own", done.stderr)

    def test_a_fault_ends_as_it_would_and_says_where_it_was(self):
        fault = -signal.SIGSEGV
        self.ended("opening_segfaults", fault, f"Segmentation fault in opening plug-in '{PLUGIN}'")
        self.ended("init_segfaults", fault, f"Segmentation fault in the init of plug-in '{PLUGIN}'")
        self.ended("property_segfaults", fault, "Segmentation fault in the property 'deed_of_tests'")
        self.ended("supports_segfaults", fault, "Segmentation fault in supports() of 'asked_of_tests'",
                   impl="asked_of_tests")  # fmt: skip

    def test_a_fault_at_the_very_end_names_the_plug_ins(self):
        self.ended("ending_aborts", -signal.SIGABRT, f"Aborted in the end, with plug-ins '{PLUGIN}'")


class LeavesBehind(unittest.TestCase):
    def test_what_the_coordinator_was_made_to_start_ends_with_it(self):
        # What is left would hold the pipes that this waits for.
        done = run("property_leaves_a_process", "replay", REPLAY % "ring")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Interrupted(unittest.TestCase):
    def test_a_failure_that_is_being_shrunk_is_told_and_remembered(self):
        with tempfile.TemporaryDirectory() as folder:
            program = subprocess.Popen(
                [PROGRAM, "check", "--impl", "ring", "--property", "deed_of_tests", *QUICK,
                 "--plugin", PLUGIN], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, env={**os.environ, "ATTNCHECK_TEST_INIT": "property_fails"})  # fmt: skip
            for _ in range(6):
                self.assertEqual(program.stderr.readline(), "slowly\n")
            program.terminate()
            stdout, stderr = program.communicate(timeout=60)
            self.assertEqual(program.returncode, -signal.SIGTERM, stdout + stderr)
            self.assertIn("interrupted by signal 15", stderr)
            self.assertIn(" after 0 cases, shrinking the next; ", stderr)
            self.assertIn("FAILED deed_of_tests", stdout)
            self.assertIn("slow and wrong", stdout)
            self.assertIn("a smaller case may exist", stdout)
            [case] = [l.split(None, 1)[1] for l in stdout.splitlines() if l.startswith("  case ")]
            [drawn] = [l.split("drawn as", 1)[1] for l in stdout.splitlines() if "drawn as" in l]
            self.assertNotEqual(case, drawn.strip())
            [file] = glob.glob(os.path.join(folder, ".attncheck/corpus/deed_of_tests-*.case"))
            with open(file) as kept:
                self.assertIn(case, kept.read())


if __name__ == "__main__":
    PLUGIN = os.path.realpath(os.path.join(sys.argv.pop(), "whole_plugin.so"))
    PROGRAM = sys.argv.pop()
    unittest.main()
