"""What becomes of rank processes when somebody ends or stops one, or the program itself:
ranks_test.py PROGRAM"""

import glob
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = None
RING = ["--transport", "gloo", "--impl", "ring", "--backend", "math", "--dtype", "f64"]
# One property: others start sets of ranks of their own, and the one that is killed is at work.
ONE = ["--property", "output_matches_reference"]
LONG = ["check", "--quiet", "--corpus", "none", "--lanes", "1", *RING, *ONE, "--mesh", "4x1"]
REPLAY = ["replay", "impl=ring transport=gloo mesh=2x1 q=4 d=2 seed=3"]


def stat_of(pid):
    """The state and the parent of a process; nothing when it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            words = file.read().rpartition(") ")[2].split()
        return words[0], int(words[1])
    except OSError:
        return None


def rank_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            for entry in file.read().split(b"\0"):
                if entry.startswith(b"ATTNCHECK_RANK="):
                    return int(entry.partition(b"=")[2])
    except OSError:
        pass
    return None


def ranks_under(parent):
    """Process ids by rank."""
    ranks = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (stat_of(entry) or ("Z", 0))[0] != "Z":
            rank = rank_of(entry) if (stat_of(entry) or ("", 0))[1] == parent else None
            if rank is not None:
                ranks[rank] = int(entry)
    return ranks


def is_connected(pid):
    """Whether a rank has the socket to its parent, and some to its peers."""
    try:
        links = [os.readlink(link) for link in glob.glob(f"/proc/{pid}/fd/*")]
    except OSError:
        return False
    return sum(link.startswith("socket:") for link in links) >= 4


class Running:
    """A program under way, what it wrote to stderr and when, and every rank it was seen to have."""

    def __init__(self, *arguments, new_group=False):
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=new_group,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        unittest.addModuleCleanup(self.process.kill)  # of a test that failed before it ended
        self.told, self.seen = [], set()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self):
        for line in self.process.stderr:
            self.told.append((time.monotonic(), line))

    def ranks(self, count, within=60):
        end = time.monotonic() + within
        while time.monotonic() < end and self.process.poll() is None:
            ranks = ranks_under(self.process.pid)
            self.seen |= set(ranks.values())
            if len(ranks) >= count:
                return ranks
            time.sleep(0.01)
        raise AssertionError(f"no {count} ranks within {within} s: {self.told}")

    def working_ranks(self, count, within=60):
        end = time.monotonic() + within
        while time.monotonic() < end:
            ranks = self.ranks(count, within)
            if all(is_connected(pid) for pid in ranks.values()):
                return ranks
            time.sleep(0.05)
        raise AssertionError(f"no {count} ranks at work within {within} s: {self.told}")

    def line_with(self, text, within):
        end = time.monotonic() + within
        while time.monotonic() < end:
            for _, line in list(self.told):
                if text in line:
                    return line
            time.sleep(0.02)
        raise AssertionError(f"'{text}' was not told within {within} s: {self.told}")

    def end(self, within=120):
        self.seen |= set(ranks_under(self.process.pid).values())
        stdout = self.process.stdout.read()
        code = self.process.wait(within)
        self.listener.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, stdout

    def nothing_is_left(self, within=5):
        end = time.monotonic() + within
        while any((stat_of(pid) or ("Z", 0))[0] != "Z" for pid in self.seen):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True


class LostRanks(unittest.TestCase):
    def check_ends_unchecked(self, program, says):
        code, stdout = program.end()
        self.assertEqual(code, 3, stdout + str(program.told))
        told = [line for line in stdout.splitlines() if line.startswith("not checked:")]
        lines = [line for line in told if "did not happen again" in line]
        self.assertEqual(len(lines), 1, stdout + str(program.told))
        [line] = lines
        for part in [says, "not checked: ring on math, gloo, f64", "case: impl=ring"]:
            self.assertIn(part, line)
        self.assertTrue(program.nothing_is_left())

    def test_a_killed_rank_is_named_and_the_check_goes_on(self):
        program = Running(*LONG, "--cases", "100000", "--time-limit", "8")
        victim = program.working_ranks(4)[2]
        time.sleep(0.5)
        os.kill(victim, signal.SIGKILL)
        program.line_with("rank 2 was ended by signal 9 (Killed)", within=10)
        self.assertNotIn(victim, program.ranks(4).values())
        self.check_ends_unchecked(program, "rank 2 was ended by signal 9 (Killed)")

    def test_a_rank_that_is_killed_while_it_starts_is_named(self):
        program = Running(*LONG, "--cases", "100000", "--time-limit", "5")
        os.kill(list(program.ranks(1).values())[0], signal.SIGKILL)
        program.line_with("did not start: it was ended by signal 9 (Killed)", within=10)
        self.check_ends_unchecked(program, "did not start: it was ended by signal 9 (Killed)")

    def test_a_stopped_rank_is_named_within_the_stated_timeout(self):
        program = Running(*LONG, "--cases", "100000", "--time-limit", "9", "--rank-timeout", "4")
        victim = program.working_ranks(4)[1]
        time.sleep(0.5)
        os.kill(victim, signal.SIGSTOP)
        line = program.line_with("rank 1 gave no answer", within=6)
        self.assertIn("it has 4000 ms, a collective 2000 ms", line)
        self.assertIn("its process is stopped by a signal", line)
        self.check_ends_unchecked(program, "rank 1 gave no answer")


class IsolatedSim(unittest.TestCase):
    SIM = ["check", "--quiet", "--corpus", "none", "--transport", "sim", "--impl", "ring", "--backend",
           "math", "--dtype", "f64", "--mesh", "2x1,3x1"]  # fmt: skip

    def report_of(self, *flags):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            arguments = [*self.SIM, "--cases", "8", "--json", report, *flags]
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)
            with open(report, encoding="utf-8") as file:
                return done.returncode, file.read()

    def test_gives_the_same_report_byte_for_byte(self):
        for flags in ([], ["--lanes", "2"], ["--send-buffer", "1024"]):
            self.assertEqual(self.report_of(*flags), self.report_of(*flags, "--isolate"), flags)

    def test_a_killed_mesh_is_named_and_the_check_goes_on(self):
        limits = ["--isolate", "--lanes", "1", "--cases", "100000", "--time-limit", "6"]
        program = Running(*self.SIM, *ONE, *limits)
        victim = program.ranks(1)[0]
        time.sleep(1)
        os.kill(victim, signal.SIGKILL)
        program.line_with("was ended by signal 9 (Killed)", within=10)
        code, stdout = program.end()
        self.assertEqual(code, 3, stdout + str(program.told))
        self.assertIn("did not happen again, case: impl=ring mesh=", stdout)
        self.assertTrue(program.nothing_is_left())

    def test_control_c_leaves_nothing(self):
        program = Running(*self.SIM, "--isolate", "--cases", "100000", new_group=True)
        program.ranks(1)
        os.killpg(program.process.pid, signal.SIGINT)
        self.assertEqual(program.end(10)[0], -signal.SIGINT)
        self.assertTrue(program.nothing_is_left(within=1))

    def test_a_bound_on_memory_that_is_none_is_a_wrong_request(self):
        for bound in ["0", "nan", "-1", "much"]:
            done = subprocess.run([PROGRAM, *REPLAY, "--rank-memory", bound], capture_output=True,
                                  text=True, timeout=60)  # fmt: skip
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--rank-memory", done.stderr)

    def test_memory_that_no_ranks_start_with_is_said(self):
        done = subprocess.run([PROGRAM, *REPLAY, "--rank-memory", "0.01"], capture_output=True,
                              text=True, timeout=120)  # fmt: skip
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("held too much memory", done.stderr)


class Ends(unittest.TestCase):
    def interrupted(self, number, to_group):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            program = Running(*LONG, "--cases", "100000", "--json", report, new_group=True)
            program.working_ranks(4)
            (os.killpg if to_group else os.kill)(program.process.pid, number)
            start = time.monotonic()
            code, stdout = program.end(10)
            self.assertLess(time.monotonic() - start, 10)
            self.assertEqual(code, -number)  # 128 + number for a shell
            self.assertEqual(os.listdir(folder), [])
        self.assertTrue(program.nothing_is_left(within=1))
        self.assertEqual(stdout, "")
        line = program.line_with("interrupted", within=2)
        self.assertIn(f"interrupted by signal {int(number)} ", line)
        self.assertEqual(len(program.told), 1, program.told)

    def test_control_c_leaves_nothing(self):
        self.interrupted(signal.SIGINT, to_group=True)

    def test_a_request_to_end_leaves_nothing(self):
        self.interrupted(signal.SIGTERM, to_group=False)

    def test_a_killed_program_leaves_no_rank(self):
        program = Running(*LONG, "--cases", "100000")
        program.ranks(4)
        program.process.kill()
        program.end()
        self.assertTrue(program.nothing_is_left())

    def test_full_standard_output(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [PROGRAM, *REPLAY], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120
            )
        self.assertEqual(done.returncode, 3)
        self.assertIn("could not be written", done.stderr)


class Logs(unittest.TestCase):
    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)

    def test_each_rank_has_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            logs = os.path.join(folder, "a", "b")
            self.assertEqual(self.run_program(*REPLAY, *ONE, "--log-dir", logs).returncode, 0)
            self.assertEqual(sorted(os.listdir(logs)), ["rank0.log", "rank1.log"])

    def test_each_lane_has_files_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_program(
                "check", "--quiet", "--corpus", "none", "--lanes", "2", *RING, "--mesh", "2x1",
                "--cases", "6", *ONE, "--log-dir", folder,
            )  # fmt: skip
            names = sorted(map(os.path.basename, glob.glob(os.path.join(folder, "*"))))
            lanes = [f"lane{lane}-rank{rank}.log" for lane in (0, 1) for rank in (0, 1)]
            self.assertTrue(set(names) <= set(lanes) and len(names) >= 2, names)

    def test_a_folder_that_cannot_be_written_is_a_wrong_request(self):
        for folder in ["/proc/nowhere", PROGRAM]:
            done = self.run_program(*REPLAY, "--log-dir", folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("--log-dir", done.stderr)

    def test_a_full_disk_does_not_matter(self):
        with tempfile.TemporaryDirectory() as folder:
            for rank in (0, 1):
                os.symlink("/dev/full", os.path.join(folder, f"rank{rank}.log"))
            done = self.run_program(*REPLAY, "--log-dir", folder)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
