"""The workflow files of the docs, and the commands in them: gate_test.py PROGRAM DOCS"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import yaml

PROGRAM = DOCS = None
WORKFLOWS = ["workflows/github.yml", "workflows/gitlab.yml"]
TINY = ["check", "--quiet", "--impl", "ring", "--backend", "math", "--transport", "sim"]
TINY += ["--dtype", "f64", "--mesh", "2x1", "--property", "output_matches_reference"]
TINY += ["--corpus", "none"]


def texts(node):
    """Every text in a parsed file."""
    if isinstance(node, dict):
        for value in node.values():
            yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)
    elif isinstance(node, str):
        yield node


def commands_in(text):
    """The arguments of every call of attncheck with a command."""
    for line in text.splitlines():
        for command in re.split(r"\|\||&&|;", line):
            words = shlex.split(command, comments=True)
            if len(words) > 2 and os.path.basename(words[0]) == "attncheck":
                yield words[1:]


class Gate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_in_folder(self, *arguments):
        return subprocess.run(
            [PROGRAM, *arguments], capture_output=True, text=True, timeout=120,
            cwd=self.folder.name,
        )  # fmt: skip

    def commands(self):
        """By file: what a workflow runs, and what the page shows."""
        found = {}
        for name in WORKFLOWS:
            with open(os.path.join(DOCS, name)) as file:
                parsed = yaml.safe_load(file)
            found[name] = [c for text in texts(parsed) for c in commands_in(text)]
        with open(os.path.join(DOCS, "gate.md")) as file:
            blocks = re.findall(r"```sh\n(.*?)```", file.read(), re.DOTALL)
        found["gate.md"] = [c for block in blocks for c in commands_in(block)]
        return found

    def test_each_file_checks_keeps_reports_and_compares(self):
        for name, commands in self.commands().items():
            self.assertLessEqual({"check", "compare"}, {c[0] for c in commands}, name)
            check = next(c for c in commands if c[0] == "check")
            for flag in "--time-limit", "--junit", "--json", "--corpus", "--plugin":
                self.assertIn(flag, check, name)

    def accepted_check(self, arguments):
        """All flags and values are read before a name that nobody has is looked up."""
        plugin = arguments.index("--plugin")
        self.assertIn("--plugin", self.run_in_folder("check", "--help").stdout)
        del arguments[plugin : plugin + 2]
        arguments[arguments.index("--impl") + 1] = "nobody"
        done = self.run_in_folder(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("unknown impl 'nobody'", done.stderr)

    def accepted_compare(self, arguments):
        for path in arguments[1:3]:
            self.run_in_folder(*TINY, "--cases", "12", "--json", path)
        done = self.run_in_folder(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def accepted_promote(self, arguments):
        arguments[1] = "output_matches_reference | impl=nobody mesh=1x1 q=1 d=1"
        done = self.run_in_folder(*arguments)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'nobody'", done.stderr)

    def test_the_program_takes_every_command(self):
        takes = {"check": self.accepted_check, "compare": self.accepted_compare}
        takes["promote"] = self.accepted_promote
        for name, commands in self.commands().items():
            for arguments in commands:
                with self.subTest(file=name, command=" ".join(arguments)):
                    takes[arguments[0]](arguments)

    def test_a_flag_that_nobody_has_would_be_seen(self):
        with self.assertRaises(AssertionError):
            self.accepted_check(["check", "--plugin", "x", "--impl", "y", "--time-limt", "120"])

    def test_a_time_limit_is_said_wherever_it_cuts(self):
        done = self.run_in_folder(
            *TINY, "--cases", "1000000", "--time-limit", "1.5", "--json", "r.json", "--junit", "r.xml"
        )
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        self.assertIn("out of time: 1 of 1 streams have fewer cases", done.stdout)
        with open(os.path.join(self.folder.name, "r.json")) as file:
            self.assertIn('"out_of_time": true', file.read())
        with open(os.path.join(self.folder.name, "r.xml")) as file:
            self.assertIn("out of time", file.read())

    def test_the_streams_share_the_time(self):
        arguments = [*TINY, "--cases", "1000000", "--time-limit", "3", "--json", "r.json"]
        arguments[arguments.index("ring")] = "ring,allgather_kv,unified"
        self.run_in_folder(*arguments)
        with open(os.path.join(self.folder.name, "r.json")) as file:
            streams = json.load(file)["streams"]
        self.assertEqual([stream["out_of_time"] for stream in streams], [True] * 3)
        for stream in streams:
            self.assertGreater(stream["cases"], 0, stream["impl"])

    def test_a_time_limit_that_leaves_cells_empty_is_not_checked(self):
        done = self.run_in_folder(*TINY, "--time-limit", "0")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("(out of time)", done.stdout)

    def test_the_seed_is_1_unless_told_and_stands_in_every_report(self):
        done = self.run_in_folder(*TINY, "--cases", "12", "--json", "r.json", "--junit", "r.xml")
        self.assertIn("seed 1;", done.stdout)
        with open(os.path.join(self.folder.name, "r.json")) as file:
            first = file.read()
        self.assertIn('"seed": 1,', first)
        with open(os.path.join(self.folder.name, "r.xml")) as file:
            self.assertIn('<property name="seed" value="1"', file.read())
        self.run_in_folder(*TINY, "--cases", "12", "--seed", "1", "--json", "again.json")
        with open(os.path.join(self.folder.name, "again.json")) as file:
            self.assertEqual(file.read(), first)


if __name__ == "__main__":
    PROGRAM, DOCS = [os.path.abspath(sys.argv.pop(1)) for _ in range(2)]
    unittest.main()
