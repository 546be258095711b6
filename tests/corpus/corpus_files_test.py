"""The files beside this one: corpus_files_test.py PROGRAM FOLDER"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = FOLDER = None
MUTANT = re.compile(r"(?:^|; )([A-D]\d+): ")


def parts_of(path):
    """The failure's line, and what it shows."""
    with open(path) as file:
        lines = file.read().splitlines()
    shows = [line[len("# shows: ") :] for line in lines if line.startswith("# shows: ")]
    failures = [line for line in lines if line and not line.startswith("#")]
    return failures, shows


class CorpusFiles(unittest.TestCase):
    def setUp(self):
        self.files = sorted(glob.glob(os.path.join(FOLDER, "*.case")))
        self.assertGreater(len(self.files), 40)

    def test_each_says_what_it_shows(self):
        for path in self.files:
            failures, shows = parts_of(path)
            self.assertEqual([len(failures), len(shows)], [1, 1], path)
            self.assertGreater(len(shows[0]), 10, path)

    def test_each_is_named_by_property_and_case(self):
        for path in self.files:
            property_name, case = parts_of(path)[0][0].split(" | ")
            name = property_name + "." + re.sub(r"[^A-Za-z0-9._-]", "-", case.replace(" ", "."))
            self.assertEqual(os.path.basename(path), name + ".case")

    def test_the_mutants_that_they_name_fail_on_them(self):
        mutants = 0
        with tempfile.TemporaryDirectory() as folder:
            for path in self.files:
                failures, shows = parts_of(path)
                for mutant in MUTANT.findall(shows[0]):
                    wrong = re.sub(r"impl=\S+", f"impl=mutant:{mutant}", failures[0])
                    with open(os.path.join(folder, f"{mutants}.case"), "w") as file:
                        file.write(wrong + "\n")
                    mutants += 1
            done = subprocess.run(
                [PROGRAM, "replay", folder], capture_output=True, text=True, timeout=280
            )
        self.assertGreater(mutants, 40)
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stdout.splitlines()
        not_shown = [line for line in lines if line.startswith(("held: ", "not judged: "))]
        self.assertEqual(not_shown, [])
        self.assertEqual(lines[-1], f"0 held, {mutants} failed, 0 could not be judged")


if __name__ == "__main__":
    PROGRAM, FOLDER = [os.path.abspath(sys.argv.pop(1)) for _ in range(2)]
    unittest.main()
