"""What becomes of failures: known ones, remembered ones, reports: failures_test.py PROGRAM"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = None
# One faulty subject on one stream, a few seconds.
FAULTY = ["check", "--quiet", "--impl", "mutant:A10", "--backend", "math", "--transport", "sim"]
FAULTY += ["--dtype", "f64", "--mesh", "2x1,3x1", "--cases", "12"]
FAULTY += ["--property", "gradients_match_reference,output_matches_reference"]


class Failures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def run_in_folder(self, *arguments):
        command = [PROGRAM, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=120, cwd=self.folder.name
        )

    def refused(self, *arguments, says):
        done = self.run_in_folder(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)

    def test_a_known_failure_leaves_exit_0_and_is_reported(self):
        known = self.write("known.txt", "gradients_match_reference | mesh=3x1 | issue 12\n")
        done = self.run_in_folder(*FAULTY, "--expect", known, "--json", self.path("r.json"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("known: gradients_match_reference | mesh=3x1 | issue 12", done.stdout)
        with open(self.path("r.json")) as file:
            report = json.load(file)
        by_property = {result["property"]: result for result in report["results"]}
        self.assertEqual(by_property["gradients_match_reference"]["verdict"], "known")
        self.assertIn("mesh=3x1", by_property["gradients_match_reference"]["case"])
        self.assertEqual(by_property["output_matches_reference"]["verdict"], "pass")
        self.assertEqual(report["expectations"][0]["state"], "known")
        self.assertFalse(os.path.exists(self.path(".attncheck")))

    def test_a_failure_beside_the_known_one_fails_the_run(self):
        known = self.write("known.txt", "gradients_match_reference | mesh=3x1 q=3 | issue 12\n")
        done = self.run_in_folder(*FAULTY, "--expect", known)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertNotIn("case     impl=mutant:A10 mesh=3x1 q=3 ", done.stdout)

    def test_what_was_mended_and_what_matched_nothing_are_said(self):
        known = self.write(
            "known.txt",
            "# two lines that are no longer true, and one that is\n"
            "output_matches_reference | mesh=3x1 | mended\n"
            "output_matches_reference | mesh=4x1 | no such mesh here\n"
            "gradients_match_reference | mesh=3x1 | issue 12\n",
        )
        done = self.run_in_folder(*FAULTY, "--expect", known)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("fixed: output_matches_reference | mesh=3x1 | mended", done.stdout)
        self.assertIn("take line 2 out", done.stdout)
        self.assertIn("matched nothing: output_matches_reference | mesh=4x1", done.stdout)

    def test_a_list_that_cannot_be_read_is_refused_with_its_line(self):
        self.refused(*FAULTY, "--expect", "missing.txt", says=["--expect", "missing.txt"])
        bad = self.write("bad.txt", "\ngradients_match_referense | mesh=3x1 | why\n")
        self.refused(
            *FAULTY, "--expect", bad, says=["line 2", "did you mean 'gradients_match_reference'"]
        )

    def test_a_failure_is_remembered_and_tried_first(self):
        first = self.run_in_folder(*FAULTY)
        self.assertEqual(first.returncode, 1, first.stdout)
        files = glob.glob(self.path(".attncheck/corpus/gradients_match_reference-*.case"))
        self.assertEqual(len(files), 1)
        again = self.run_in_folder(*FAULTY, "--seed", "2")
        self.assertEqual(again.returncode, 1, again.stdout)
        self.assertIn("1 failure of earlier runs tried first", again.stdout)
        self.assertEqual(len(glob.glob(self.path(".attncheck/corpus/*"))), 1)

    def test_a_remembered_failure_that_no_stream_is_about_is_said(self):
        self.run_in_folder(*FAULTY)
        for other in ["--mesh", "2x1"], ["--dtype", "f32"], ["--property", "output_matches_reference"]:
            # The last of two flags would be one more value of a list.
            kept = [word for word in FAULTY]
            kept[kept.index(other[0]) + 1] = other[1]
            done = self.run_in_folder(*kept)
            self.assertRegex(done.stdout, "[12] failures? of earlier runs not tried: no stream")
            self.assertNotIn("tried first", done.stdout)

    def test_a_corpus_of_ones_own_or_none(self):
        self.run_in_folder(*FAULTY, "--corpus", "mine")
        self.assertEqual(len(glob.glob(self.path("mine/*.case"))), 1)
        done = self.run_in_folder(*FAULTY, "--corpus", "none")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("earlier runs", done.stdout)
        self.assertEqual(os.listdir(self.folder.name), ["mine"])
        self.write("mine/bad.case", "nonsense\n")
        self.refused(*FAULTY, "--corpus", "mine", says=["--corpus", "bad.case"])

    def test_junit_tells_failures_from_what_held(self):
        done = self.run_in_folder(*FAULTY, "--junit", self.path("r.xml"))
        self.assertEqual(done.returncode, 1)
        suite = ElementTree.parse(self.path("r.xml")).getroot().find("testsuite")
        self.assertEqual(suite.get("failures"), "1")
        failed = [test for test in suite if test.find("failure") is not None]
        self.assertEqual([test.get("name") for test in failed], ["gradients_match_reference"])
        self.assertIn("attncheck replay", failed[0].find("failure").text)

    def test_a_report_that_cannot_be_written_is_refused_and_nothing_is_left(self):
        for flag in "--json", "--junit":
            self.refused(*FAULTY, flag, "no/such/folder/r", says=[flag, "no/such/folder/r"])
            self.refused(*FAULTY, flag, self.folder.name, says=[flag, "Is a directory"])
            self.refused(*FAULTY, flag, "", says=[flag])
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_corpus_that_cannot_be_used_is_refused(self):
        self.refused(*FAULTY, "--corpus", self.write("file", "x"), says=["--corpus", "file"])
        os.mkdir(self.path("mine"))
        self.write("mine/a.case", "output_matches_referenc | impl=ring mesh=2x1 q=2 d=1\n")
        self.refused(*FAULTY, "--corpus", "mine", says=["did you mean 'output_matches_reference'"])
        self.write("mine/a.case", "output_matches_reference | impl=rnig mesh=2x1 q=2 d=1\n")
        self.refused(*FAULTY, "--corpus", "mine", says=["did you mean 'ring'"])

    def test_a_list_of_unknown_names_or_of_no_words_is_refused(self):
        self.refused(*FAULTY, "--expect", self.folder.name, says=["--expect", "cannot read"])
        names = self.write("names.txt", "output_matches_reference | impl=rnig | why\n")
        self.refused(*FAULTY, "--expect", names, says=["line 1", "did you mean 'ring'"])
        none = self.write("none.txt", "output_matches_reference | | why\n")
        self.refused(*FAULTY, "--expect", none, says=["line 1", "no words"])

    def test_two_reports_in_one_file_are_refused(self):
        self.refused(*FAULTY, "--json", "r", "--junit", "./r", says=["--json and --junit"])
        self.refused(*FAULTY, "--closest", "r", "--json", "./r", says=["--json and --closest"])
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_property_that_was_asked_for_and_judged_nothing_is_not_checked(self):
        arguments = ["--property", "tagged_integers_arrive_bitwise,output_matches_reference"]
        right = ["check", "--quiet", "--impl", "ring", "--backend", "math", "--transport", "sim"]
        right += ["--dtype", "f64", "--mesh", "3x1", "--cases", "3", "--seed", "2"]
        done = self.run_in_folder(*right, *arguments)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("tagged_integers_arrive_bitwise was asked for", done.stdout)

    def test_a_stderr_that_is_full_or_closed_costs_no_verdict(self):
        for redirect in "2>/dev/full", "2>&-":
            command = f"{PROGRAM} check --impl rnig {redirect}"
            done = subprocess.run(command, shell=True, timeout=60, cwd=self.folder.name)
            self.assertEqual(done.returncode, 2, redirect)

    def test_processes_run_where_the_standard_streams_are_closed(self):
        command = f"{PROGRAM} replay 'impl=ring transport=gloo mesh=2x1 q=2 d=1' <&-"
        done = subprocess.run(command, shell=True, timeout=60, cwd=self.folder.name)
        self.assertEqual(done.returncode, 0)

    def test_any_number_of_lanes_gives_the_same_report(self):
        reports = []
        for lanes in "1", "2", "3":
            done = self.run_in_folder(*FAULTY, "--corpus", "none", "--lanes", lanes)
            self.assertEqual(done.returncode, 1, done.stderr)
            lines = done.stdout.splitlines()
            counts = lines[-1].split(", ")
            del counts[2]  # the seconds
            reports.append(lines[:-1] + counts)
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
