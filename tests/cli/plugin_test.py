"""Plug-ins as people load them: plugin_test.py PROGRAM FOLDER_OF_PLUGINS"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = PLUGINS = None
FOLDER = tempfile.TemporaryDirectory()
QUICK = ["--quiet", "--dtype", "f64", "--corpus", "none", "--cases", "20"]
FAULT = "impl=mutant:adds_without_weights mesh=2x1 q=2 d=1 seed=1"
RIGHT = "impl=shown_keys backend=tiled_base2 mesh=3x1 q=6 h=2 d=3 causal=1 seed=5"


def run(*arguments, **environment):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=120, cwd=FOLDER.name,
        env={**os.environ, **environment})  # fmt: skip


def library(name):
    return os.path.join(PLUGINS, name + ".so")


class Loaded(unittest.TestCase):
    """What a plug-in brings is known wherever the program's own is."""

    def held(self, *arguments):
        done = run(*arguments, "--plugin", library("example_plugin"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_names_are_listed_with_where_they_came_from(self):
        for what, name in [
            ("impls", "shown_keys"), ("backends", "tiled_base2"),
            ("properties", "output_lies_between_the_values"), ("mutants", "adds_without_weights"),
        ]:  # fmt: skip
            self.assertIn(name, self.held("list", what))
            self.assertNotIn(name, run("list", what).stdout)
        self.assertIn("from " + library("example_plugin"), self.held("list", "impls"))

    def test_an_implementation_is_checked_with_every_property_on_sim_and_gloo(self):
        path = os.path.join(FOLDER.name, "report.json")
        self.held("check", "--impl", "shown_keys", "--backend", "math", *QUICK, "--json", path)
        with open(path) as file:
            results = json.load(file)["results"]
        judged = {r["transport"] for r in results if r["verdict"] == "pass"}
        self.assertEqual(judged, {"sim", "gloo"})
        self.assertIn("output_lies_between_the_values", {r["property"] for r in results})

    def test_a_backend_is_checked_alone_and_in_a_ring(self):
        self.held("check", "--impl", "local,ring", "--backend", "tiled_base2", "--transport", "sim", *QUICK)

    def test_a_property_judges_what_is_built_in(self):
        self.held("check", "--impl", "ring", "--backend", "math", "--transport", "sim",
                  "--property", "output_lies_between_the_values", *QUICK)  # fmt: skip

    def test_a_mutant_is_caught_by_the_property_that_came_with_it(self):
        text = self.held("mutants", "--mutant", "adds_without_weights", "--quiet")
        self.assertIn("output_lies_between_the_values", text)

    def test_several_plug_ins_are_loaded(self):
        text = self.held("list", "backends", "--plugin", library("whole_plugin"))
        self.assertIn("of_tests", text)
        self.assertIn("tiled_base2", text)

    def test_ranks_of_gloo_load_it_too(self):
        self.held("replay", RIGHT + " transport=gloo")

    def test_contributions_are_explained(self):
        self.held("explain", RIGHT)

    def test_a_relative_path_is_one_from_the_working_folder(self):
        shutil.copy(library("example_plugin"), os.path.join(FOLDER.name, "a copy's.so"))
        done = run("replay", RIGHT + " transport=gloo", "--plugin", "a copy's.so")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Failures(unittest.TestCase):
    def test_a_line_that_runs_a_failure_again_names_the_plug_in(self):
        copy = os.path.join(os.path.realpath(FOLDER.name), "it's.so")
        shutil.copy(library("example_plugin"), copy)
        for transport in ["", " transport=gloo"]:
            done = run("replay", FAULT + transport, "--plugin", copy)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            again = [line for line in done.stdout.splitlines() if line.startswith("  again")][0]
            self.assertIn(r" --plugin '" + copy.replace("'", r"'\''") + "'", again)
            line = again.partition("attncheck")[2]
            repeated = subprocess.run(
                f"'{PROGRAM}'{line}", shell=True, capture_output=True, text=True, timeout=120)
            self.assertEqual(repeated.stdout, done.stdout)

    def test_a_line_that_runs_a_failure_again_gives_ranks_the_same_time(self):
        done = run("replay", FAULT, "--rank-timeout", "25", "--plugin", library("example_plugin"))
        again = [line for line in done.stdout.splitlines() if line.startswith("  again")][0]
        self.assertIn(" --rank-timeout 25 ", again)

    def test_a_failure_is_kept_for_good_with_the_plug_in_that_brought_its_subject(self):
        failure = "output_lies_between_the_values | " + FAULT
        kept = os.path.join(FOLDER.name, "kept")
        words = ["promote", failure, "--to", kept, "--shows", "weights are left out"]
        refused = run(*words)
        self.assertEqual(refused.returncode, 2, refused.stdout + refused.stderr)
        done = run(*words, "--plugin", library("example_plugin"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(os.listdir(kept)), 1)

    def test_ranks_that_cannot_load_it_say_so(self):
        # Its init looks for what only a rank has in its environment.
        done = run("replay", RIGHT.replace("tiled_base2", "math").replace("shown_keys", "ring") +
                   " transport=gloo", "--plugin", library("whole_plugin"),
                   ATTNCHECK_TEST_INIT="throws_in_ranks")  # fmt: skip
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("whole_plugin.so': its init threw: not in a rank", done.stdout + done.stderr)


class Refused(unittest.TestCase):
    """Exit 2, one line on stderr, nothing on stdout."""

    def refused(self, *arguments, says, **environment):
        done = run(*arguments, **environment)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in ["--plugin", says] if isinstance(says, str) else ["--plugin", *says]:
            self.assertIn(part, done.stderr)

    def test_each_for_its_reason(self):
        text = os.path.join(FOLDER.name, "text.so")
        with open(text, "w") as file:
            file.write("not a library\n")
        for path, says in [
            (library("none"), "no such file"),
            (PLUGINS, "it is no file"),
            (text, "no shared library"),
            (library("no_symbol_plugin"), "attncheck_plugin"),
            (library("other_abi_plugin"), "ABI 999"),
            (library("other_libtorch_plugin"), "LibTorch 1.13.1"),
            (library("other_layout_plugin"), "other sizes"),
            (library("undefined_plugin"), "help_of_the_plugin()"),
            ("", "no such file"),
        ]:
            for command in [["check", *QUICK], ["list", "impls"]]:
                with self.subTest(path=path, command=command[0]):
                    self.refused(*command, "--plugin", path, says=says)

    def test_for_what_its_init_does(self):
        for init, says in [
            ("throws", "its init threw: no licence"), ("throws_a_number", "no std::exception"),
            ("nothing", "added nothing"), ("taken", "the backend 'math' is built in"),
        ]:  # fmt: skip
            with self.subTest(init=init):
                self.refused("list", "impls", "--plugin", library("whole_plugin"), says=says,
                             ATTNCHECK_TEST_INIT=init)  # fmt: skip

    def test_a_name_that_another_plug_in_has(self):
        copy = os.path.join(FOLDER.name, "copy.so")
        shutil.copy(library("example_plugin"), copy)
        self.refused("list", "impls", "--plugin", library("example_plugin"), "--plugin", copy,
                     says=["copy.so", "came with plug-in", "example_plugin.so"])  # fmt: skip

    def test_one_that_is_given_twice(self):
        twice = ["--plugin", library("example_plugin")] * 2
        self.refused("list", "impls", *twice, says="it is loaded already")

    def test_a_remembered_failure_of_a_plug_in_that_is_not_there_says_what_is_missing(self):
        corpus = os.path.join(FOLDER.name, "corpus")
        check = ["check", "--impl", "mutant:adds_without_weights", "--property",
                 "output_lies_between_the_values", "--transport", "sim", "--dtype", "f64", "--backend",
                 "math", "--quiet", "--corpus", corpus]  # fmt: skip
        self.assertEqual(run(*check, "--plugin", library("example_plugin")).returncode, 1)
        self.refused("check", "--impl", "ring", "--quiet", "--corpus", corpus,
                     says=["output_lies_between_the_values", "--plugin"])  # fmt: skip


if __name__ == "__main__":
    PLUGINS = sys.argv.pop()
    PROGRAM = sys.argv.pop()
    unittest.main()
