"""Hunts and the kill matrix, as people ask for them: mutants_test.py PROGRAM"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
FOLDER = tempfile.TemporaryDirectory()
# Of a ring's forward, backward and state, of a collective, a merge, and one that is refused.
SOME = "A10,A19,B5,C1,house_call_counter_leaks,house_merge_takes_the_mean,house_refuses_on_rank_0_alone"


def run(*arguments):
    return subprocess.run([PROGRAM, "mutants", "--quiet", *arguments], capture_output=True, text=True, timeout=200, cwd=FOLDER.name)


def report(*arguments):
    """The exit code, what was printed, and the report."""
    path = os.path.join(FOLDER.name, "report.json")
    done = run(*arguments, "--json", path)
    with open(path) as file:
        return done.returncode, done.stdout, json.load(file)


def without_times(found):
    found.pop("seconds")
    for row in found["matrix"]:
        row.pop("seconds")
    return found


def pairs_of(found, mutant):
    row = next(row for row in found["matrix"] if row["name"] == mutant)
    return {pair["property"]: pair for pair in row["pairs"]}


class Hunts(unittest.TestCase):
    def test_any_number_of_lanes_gives_the_same_report(self):
        one, two = (report("--mutant", SOME, "--lanes", lanes) for lanes in ["1", "2"])
        self.assertEqual(one, two)
        self.assertEqual(one[0], 0, one[1])
        self.assertIn("7 of 7 mutants caught, seed 1", one[1])
        self.assertIn("drawn cases until caught: median", one[1])

    def test_wrong_requests_are_exit_2(self):
        for arguments, says in [
            (["--lanes", "0"], "--lanes"),
            (["--seeds", "3"], "--matrix"),
            (["--property", "output_matches_reference"], "--matrix"),
            (["--matrix", "--seeds", "0"], "--seeds"),
            (["--matrix", "--property", "output_matches"], "output_matches_reference"),
            (["--matrix", "--mutant", "A99"], "A9"),
        ]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Matrix(unittest.TestCase):
    def test_any_number_of_lanes_gives_the_same_matrix(self):
        request = ["--matrix", "--mutant", SOME, "--seeds", "2", "--cases", "12"]
        (code, _, one), (_, _, two) = (report(*request, "--lanes", lanes) for lanes in ["1", "2"])
        self.assertEqual(without_times(one), without_times(two))
        self.assertEqual(code, 0)
        self.assertEqual(one["seeds"], [1, 2])
        self.assertEqual([row["name"] for row in one["matrix"]], SOME.split(","))

    def test_a_hunt_and_the_matrix_draw_the_same_cases(self):
        _, _, hunts = report("--mutant", "A10,A19,B5,C1")
        _, text, found = report("--matrix", "--mutant", "A10,A19,B5,C1", "--seeds", "1", "--cases", "40")
        for hunt in hunts["mutants"]:
            pair = pairs_of(found, hunt["name"])[hunt["property"]]
            self.assertEqual(pair["by_seed"], [hunt["cases"]], hunt["name"])
            self.assertIn(hunt["name"], text)

    def test_what_did_not_judge_did_not_hold(self):
        _, _, found = report("--matrix", "--mutant", "C1", "--seeds", "1", "--cases", "6")
        pairs = pairs_of(found, "C1")
        self.assertEqual(pairs["tagged_integers_arrive_bitwise"]["verdict"], "fail")
        self.assertEqual(pairs["supported_case_runs_to_the_end"]["verdict"], "pass")
        merges = pairs["merge_is_associative"]
        self.assertEqual((merges["verdict"], merges["judged"]), ("unsupported", 0))
        self.assertTrue(merges["reason"])
        _, _, found = report("--matrix", "--mutant", "A1", "--seeds", "1", "--cases", "6")
        self.assertIn("not_run", {pair["verdict"] for pair in pairs_of(found, "A1").values()})

    def test_exit_codes(self):
        one = ["--matrix", "--seeds", "1", "--cases", "4"]
        survives = run(*one, "--mutant", "A19", "--property", "lse_matches_reference")
        self.assertEqual(survives.returncode, 1, survives.stdout)
        self.assertIn("1 survived: A19", survives.stdout)
        unjudged = run(*one, "--mutant", "A19", "--property", "merge_is_associative")
        self.assertEqual(unjudged.returncode, 3, unjudged.stdout)
        self.assertIn("1 not_judged: A19", unjudged.stdout)
        idle = run(*one, "--mutant", "A19", "--property", "gradients_match_reference,merge_is_associative")
        self.assertEqual(idle.returncode, 3, idle.stdout)
        self.assertIn("not checked: merge_is_associative", idle.stdout)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
