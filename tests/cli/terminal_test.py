"""What people at a terminal see: a line of progress that is written over, and verdicts in colour.

terminal_test.py PROGRAM [unittest arguments]
"""

import os
import pty
import re
import subprocess
import sys
import threading
import unittest

PROGRAM = ""
LIMIT = 120
COLOUR = re.compile("\x1b\\[[0-9;]*m")
EXPLAIN = ["explain", "impl=mutant:A10 mesh=3x1 q=3 d=1"]
SMALL = ["check", "--backend", "math", "--dtype", "f64", "--transport", "sim", "--mesh", "2x1",
         "--corpus", "none"]  # fmt: skip
CHECK = [*SMALL, "--impl", "ring"]


def environment(**changes):
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    return {**kept, "TERM": "xterm", **changes}


def on_terminal(stream, arguments, **changes):
    """What the program writes to "stdout" or "stderr", which is a terminal; the other is a pipe."""
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: theirs}
    process = subprocess.Popen([PROGRAM, *arguments], env=environment(**changes), **streams)
    os.close(theirs)
    seen = []

    def listen():
        while True:
            try:
                read = os.read(ours, 4096)
            except OSError:  # the terminal's other end is closed
                return
            if not read:
                return
            seen.append(read)

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        process.communicate(timeout=LIMIT)
    finally:
        process.kill()
        listener.join()
        os.close(ours)
    return b"".join(seen).decode().replace("\r\n", "\n")


def piped(arguments, **changes):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=LIMIT,
                          env=environment(**changes))  # fmt: skip
    return done.stdout, done.stderr


class Colour(unittest.TestCase):
    def test_a_terminal_sees_faults_in_colour_and_else_the_same_text(self):
        seen, (plain, _) = on_terminal("stdout", EXPLAIN), piped(EXPLAIN)
        self.assertIn("\x1b[31m", seen.replace("\x1b[1m", ""))
        self.assertEqual(COLOUR.sub("", seen), plain)
        for cell in ("->2", "->1", "->0", "a fault is shown"):
            self.assertRegex(seen, "\x1b\\[[0-9;]*m" + re.escape(cell) + "\x1b")
        self.assertIsNone(re.search("\x1b\\[[0-9;]*mok", seen))

    def test_a_failure_begins_in_colour(self):
        case = ["replay", "impl=mutant:A10 mesh=3x1 q=3 d=1"]
        seen, (plain, _) = on_terminal("stdout", case), piped(case)
        self.assertRegex(seen, "\x1b\\[[0-9;]*mFAILED\x1b")
        self.assertEqual(COLOUR.sub("", seen).split(), plain.split())

    def test_no_color_a_dumb_terminal_and_a_pipe_get_none(self):
        self.assertNotIn("\x1b", on_terminal("stdout", EXPLAIN, NO_COLOR="1"))
        self.assertNotIn("\x1b", on_terminal("stdout", EXPLAIN, TERM="dumb"))
        self.assertNotIn("\x1b", piped(EXPLAIN)[0])

    def test_an_empty_no_color_asks_for_nothing(self):
        self.assertIn("\x1b", on_terminal("stdout", EXPLAIN, NO_COLOR=""))


class Width(unittest.TestCase):
    def test_lines_fit_100_columns_but_those_that_are_copied(self):
        for command in (["list", "properties"], ["list", "mutants"], ["replay", "impl=mutant:A10 mesh=3x1 q=3 d=1"],
                        [*SMALL, "--quiet", "--impl", "mutant:A10,ring", "--cases", "4"]):  # fmt: skip
            seen, (plain, _) = COLOUR.sub("", on_terminal("stdout", command)), piped(command)
            long = [line for line in seen.splitlines() if len(line) > 100]
            self.assertTrue(all(re.match("  (case|again|drawn as) ", line) for line in long), long)
            if command[0] != "check":  # its last line says how long it took
                self.assertEqual(seen.split(), plain.split())
            self.assertGreater(max(map(len, plain.splitlines())), 100)


class Line(unittest.TestCase):
    def test_it_says_how_much_is_done_how_fast_and_what_is_left(self):
        seen = on_terminal("stderr", [*CHECK, "--cases", "100000", "--time-limit", "5"])
        lines = seen.split("\r")
        self.assertGreater(len(lines), 10)
        self.assertLessEqual(max(map(len, lines)), 100)
        told = [line for line in lines if "left" in line]
        self.assertTrue(told, lines[-3:])
        for line in told:
            self.assertRegex(line, r"^\[#+\.*\] +\d+ %  \d+ cases, \d+/s, [0-3] s left  ring on math")
        self.assertEqual(lines[-1].strip(), "")  # nothing stays behind

    def test_the_bar_grows_with_the_streams(self):
        two = [*SMALL, "--impl", "ring,allgather_kv", "--cases", "60"]
        lines = on_terminal("stderr", two).split("\r")
        done = [int(found[1]) for line in lines if (found := re.search(r"\] +(\d+) %", line))]
        self.assertEqual(done, sorted(done))
        self.assertGreater(done[-1], 50)

    def test_quiet_is_silent(self):
        self.assertEqual(on_terminal("stderr", [*CHECK, "--cases", "20", "--quiet"]), "")

    def test_a_short_run_adds_nothing_to_a_log(self):
        self.assertEqual(piped([*CHECK, "--cases", "20"])[1], "")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
