"""Failures that stay: promoted, replayed and tried first: promote_test.py PROGRAM"""

import glob
import os
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = None
WRONG = "gradients_match_reference | impl=mutant:A10 mesh=3x1 q=3 d=1"
RIGHT = "gradients_match_reference | impl=ring mesh=3x1 q=3 d=1"
NAME = "gradients_match_reference.impl-mutant-A10.mesh-3x1.q-3.d-1.case"
FAULTY = ["check", "--quiet", "--impl", "mutant:A10", "--backend", "math", "--transport", "sim"]
FAULTY += ["--dtype", "f64", "--mesh", "2x1,3x1", "--cases", "12"]
FAULTY += ["--property", "gradients_match_reference,output_matches_reference"]


class Promote(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_in_folder(self, *arguments):
        return subprocess.run(
            [PROGRAM, *arguments], capture_output=True, text=True, timeout=120,
            cwd=self.folder.name,
        )  # fmt: skip

    def promote(self, failure, *flags, shows="dk goes to the wrong rank"):
        return self.run_in_folder("promote", failure, "--to", "kept", "--shows", shows, *flags)

    def refused(self, done, *says):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)

    def kept(self):
        return [os.path.basename(path) for path in glob.glob(self.path("kept/*"))]

    def test_a_failure_is_kept_under_a_name_that_says_what_it_is(self):
        done = self.promote(WRONG)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.kept(), [NAME])
        self.assertEqual(done.stdout, f"kept/{NAME}\n")
        with open(self.path("kept/" + NAME)) as file:
            self.assertEqual(file.read(), f"# shows: dk goes to the wrong rank\n{WRONG}\n")

    def test_nothing_is_written_over(self):
        self.promote(WRONG)
        self.refused(self.promote(WRONG, shows="another reading"), "--to", NAME)
        with open(self.path("kept/" + NAME)) as file:
            self.assertIn("dk goes to the wrong rank", file.read())

    def test_what_holds_is_kept_only_where_it_is_said_to_be_mended(self):
        self.refused(self.promote(RIGHT), "holds", "--mended")
        self.assertEqual(self.kept(), [])
        self.assertEqual(self.promote(RIGHT, "--mended").returncode, 0)
        self.assertEqual(len(self.kept()), 1)

    def test_what_was_said_to_be_mended_and_fails_is_exit_1(self):
        done = self.promote(WRONG, "--mended")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED gradients_match_reference", done.stdout)
        self.assertEqual(self.kept(), [])

    def test_what_is_no_failure_is_refused(self):
        self.refused(self.promote("nowhere.case"), "nowhere.case")
        self.refused(self.promote("gradients_match_reference | impl=ring mesh=3"), "malformed")
        self.refused(self.promote(RIGHT.replace("match", "mtach")), "did you mean")
        self.refused(self.promote(RIGHT.replace("ring", "rnig")), "did you mean 'ring'")
        self.refused(self.promote(WRONG, shows=" "), "--shows")
        self.refused(self.promote(WRONG, shows="two\nlines"), "--shows")
        collective = "output_matches_reference | impl=collective:all_gather mesh=2x1 q=2 d=1"
        self.refused(self.promote(collective), "does not speak of collective:all_gather")
        self.assertEqual(self.kept(), [])

    def test_a_file_of_the_local_corpus_is_promoted_and_tried_first_by_others(self):
        self.assertEqual(self.run_in_folder(*FAULTY).returncode, 1)
        (found,) = glob.glob(self.path(".attncheck/corpus/*.case"))
        self.assertEqual(self.promote(found).returncode, 0)
        both = ["--corpus", "kept,.attncheck/corpus"]
        again = self.run_in_folder(*FAULTY, "--seed", "2", *both)
        self.assertEqual(again.returncode, 1)
        self.assertIn("1 failure of earlier runs tried first", again.stdout)  # one, in two folders
        elsewhere = self.run_in_folder(*FAULTY, "--seed", "2", "--corpus", "kept,new")
        self.assertIn("1 failure of earlier runs tried first", elsewhere.stdout)
        self.assertEqual(len(glob.glob(self.path("new/*.case"))), 1)
        self.assertEqual(len(self.kept()), 1)

    def test_a_folder_that_is_only_read_must_be_there(self):
        self.refused(self.run_in_folder(*FAULTY, "--corpus", "kpet,mine"), "--corpus", "kpet")
        self.refused(self.run_in_folder(*FAULTY, "--corpus", "none,mine"), "'none' stands alone")
        self.refused(self.run_in_folder(*FAULTY, "--corpus", ""), "--corpus", "empty")

    def test_a_folder_is_replayed_each_case_with_its_property(self):
        self.promote(WRONG)
        self.promote(RIGHT, "--mended", shows="it once did")
        done = self.run_in_folder("replay", "kept")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("attncheck replay 'impl=mutant:A10 mesh=3x1", done.stdout)
        self.assertIn(f"held: {RIGHT} (it once did)", done.stdout)
        self.assertIn("1 held, 1 failed, 0 could not be judged", done.stdout)
        os.remove(self.path("kept/" + NAME))
        self.assertEqual(self.run_in_folder("replay", "kept").returncode, 0)

    def test_cases_of_a_folder_share_their_ranks(self):
        os.mkdir(self.path("kept"))
        for q in range(2, 6):
            with open(self.path(f"kept/{q}.case"), "w") as file:
                file.write(f"output_matches_reference | impl=ring transport=gloo mesh=2x1 q={q} d=1\n")
        program = subprocess.Popen([PROGRAM, "replay", "kept"], stdout=subprocess.PIPE, text=True,
                                   cwd=self.folder.name)  # fmt: skip
        ranks = set()
        while program.poll() is None:
            for path in glob.glob(f"/proc/{program.pid}/task/*/children"):
                try:
                    with open(path) as file:
                        ranks |= set(file.read().split())
                except OSError:
                    pass  # the thread is gone
            time.sleep(0.01)
        self.assertIn("4 held, 0 failed", program.stdout.read())
        program.stdout.close()
        self.assertEqual(len(ranks), 2)

    def test_what_cannot_be_judged_any_more_is_no_pass(self):
        os.mkdir(self.path("kept"))
        with open(self.path("kept/a.case"), "w") as file:
            file.write(RIGHT + " dropout=0.1\n")
        done = self.run_in_folder("replay", "kept")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("not judged", done.stdout)
        os.remove(self.path("kept/a.case"))
        self.refused(self.run_in_folder("replay", "kept"), "no file")

    def test_closest_calls_are_kept_and_steer_the_next_run(self):
        right = ["check", "--quiet", "--impl", "ring", "--backend", "math", "--transport", "sim"]
        right += ["--dtype", "f32", "--mesh", "2x1", "--corpus", "none", "--closest", "c.json"]
        right += ["--property", "output_matches_reference", "--cases", "40"]
        first = self.run_in_folder(*right)
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        with open(self.path("c.json")) as file:
            kept = file.read()
        self.assertIn('"case": "impl=ring mesh=2x1', kept)
        self.assertEqual(self.run_in_folder(*right, "--seed", "2").returncode, 0)
        with open(self.path("c.json"), "w") as file:
            file.write("[]")
        self.refused(self.run_in_folder(*right), "--closest", "c.json")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
