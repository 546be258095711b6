"""Ranks that a launcher starts, over Gloo: launch_test.py PROGRAM"""

import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

PROGRAM = None
GLOO = ["--transport", "gloo", "--backend", "math", "--dtype", "f64"]
CHECK = ["check", "--quiet", "--corpus", "none", *GLOO]
ONE = ["--property", "output_matches_reference"]
MPIRUN = [
    "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
    "--mca", "plm_rsh_agent", "/bin/false", "--mca", "btl", "self,vader",
]  # fmt: skip


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def children_of(pid):
    """Processes under it, whatever they are."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat") as file:
                words = file.read().rpartition(") ")[2].split()
        except OSError:
            continue
        if entry.isdigit() and words[0] != "Z" and int(words[1]) == pid:
            found.append(int(entry))
    return found


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(") ")[2].split()[0] != "Z"
    except OSError:
        return False


def alone(*arguments):
    """The same request of one program that starts its ranks itself."""
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)


def has_gpu():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return os.path.exists("/dev/nvidia0")


def without_times(text):
    return re.sub(r"[0-9.]+ s\b", "T s", text)


class Launched:
    """The program in a world of so many processes, started as torchrun would."""

    def __init__(self, world, *arguments):
        common = {
            "WORLD_SIZE": str(world), "LOCAL_WORLD_SIZE": str(world),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()),
        }  # fmt: skip
        self.processes, self.told, self.ranks = [], [[] for _ in range(world)], set()
        for rank in range(world):
            place = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
            self.processes.append(
                subprocess.Popen(
                    [PROGRAM, *arguments], env={**os.environ, **common, **place}, text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                )
            )  # fmt: skip
        for process in self.processes:
            unittest.addModuleCleanup(process.kill)  # of a test that failed before it ended
        self.listeners = [threading.Thread(target=self.listen, args=[r]) for r in range(world)]
        for listener in self.listeners:
            listener.start()

    def listen(self, rank):
        for line in self.processes[rank].stderr:
            self.told[rank].append(line)

    def all_told(self):
        return [line for lines in self.told for line in lines]

    def rank_process(self, launched, within=60):
        """The rank that a launched process keeps, once it is there."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            found = children_of(self.processes[launched].pid)
            self.ranks |= set(found)
            if found:
                return found[-1]
            time.sleep(0.02)
        raise AssertionError(f"no rank under {launched} within {within} s: {self.told}")

    def told_with(self, text, within):
        end = time.monotonic() + within
        while time.monotonic() < end:
            if any(text in line for line in self.all_told()):
                return
            time.sleep(0.05)
        raise AssertionError(f"'{text}' was not told within {within} s: {self.told}")

    def end(self, within=120):
        end = time.monotonic() + within
        for process in self.processes:
            for child in children_of(process.pid):
                self.ranks.add(child)
        try:
            codes = [p.wait(max(0.1, end - time.monotonic())) for p in self.processes]
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there after {within} s: {self.told}") from None
        finally:
            for process in self.processes:
                process.kill()
        output = [process.stdout.read() for process in self.processes]
        for listener in self.listeners:
            listener.join()
        for process in self.processes:
            process.stdout.close()
            process.stderr.close()
        return codes, output

    def nothing_is_left(self, within=5):
        end = time.monotonic() + within
        while any(is_running(pid) for pid in self.ranks):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True


class Worlds(unittest.TestCase):
    # Runs on other meshes, on fewer ranks and within twice as many are part of it.
    def test_every_property_is_judged_as_it_is_alone(self):
        case = ["replay", "impl=unified transport=gloo mesh=2x2 q=8 h=4 d=4 seed=3"]
        program = Launched(4, *case)
        codes, output = program.end()
        self.assertEqual(codes, [0] * 4, program.told)
        self.assertEqual(output, [alone(*case).stdout, "", "", ""])

    def test_without_a_mesh_every_mesh_of_the_world_is_drawn(self):
        check = [*CHECK, *ONE, "--impl", "ring,ulysses", "--cases", "6"]
        program = Launched(2, *check)
        codes, output = program.end()
        expected = alone(*check, "--mesh", "2x1,1x2", "--lanes", "1")
        self.assertEqual(codes, [expected.returncode] * 2, program.told)
        self.assertEqual(without_times(output[0]), without_times(expected.stdout))

    def test_methods_are_timed_on_all_ranks(self):
        bench = ["bench", "methods", "--quiet", "--transport", "gloo", "--scale", "0.004", "--repetitions", "1"]
        program = Launched(3, *bench)
        codes, output = program.end()
        self.assertEqual(codes, [0] * 3, program.told)
        self.assertIn("measured over gloo, 3 ranks", output[0])
        self.assertEqual(output[1:], ["", ""])

    def test_a_mutant_fails_on_every_rank_as_it_does_alone(self):
        case = ["replay", "impl=mutant:A10 transport=gloo mesh=3x1 q=3 d=1"]
        program = Launched(3, *case)
        codes, output = program.end()
        self.assertEqual(codes, [1] * 3, program.told)
        self.assertEqual(output, [alone(*case).stdout, "", ""])

    def test_a_world_that_is_not_the_mesh_is_a_wrong_request_said_once(self):
        program = Launched(3, *CHECK, "--impl", "unified", "--mesh", "2x2")
        codes, output = program.end(30)
        self.assertEqual(codes, [2] * 3)
        self.assertEqual(output, [""] * 3)
        [line] = program.all_told()
        self.assertIn("mesh 2x2 has 4 ranks, and torchrun started 3: ask for 3x1, 1x3", line)

    def test_an_unknown_name_is_a_wrong_request_said_once(self):
        program = Launched(2, *CHECK, "--impl", "rong", "--mesh", "2x1")
        codes, _ = program.end(60)
        self.assertEqual(codes, [2] * 2, program.told)
        [line] = program.all_told()
        self.assertIn("unknown impl 'rong'", line)

    def test_a_transport_of_one_process_is_refused(self):
        program = Launched(2, "check", "--impl", "ring", "--transport", "sim,gloo")
        codes, _ = program.end(30)
        self.assertEqual(codes, [2] * 2)
        self.assertEqual(len(program.all_told()), 1, program.told)


class Losses(unittest.TestCase):
    LONG = [*CHECK, *ONE, "--impl", "ring", "--mesh", "3x1", "--cases", "100000"]

    def test_a_killed_rank_is_named_and_the_check_goes_on(self):
        program = Launched(3, *self.LONG, "--time-limit", "8")
        victim = program.rank_process(1)
        time.sleep(2)
        os.kill(victim, signal.SIGKILL)
        program.told_with("rank 1 ", within=30)
        codes, output = program.end()
        self.assertEqual(codes, [3] * 3, program.told)
        self.assertIn("did not happen again", output[0] + "".join(program.all_told()))
        self.assertIn("killed", (output[0] + "".join(program.all_told())).lower())
        self.assertTrue(program.nothing_is_left())

    def test_a_lost_launched_process_ends_the_check_unchecked(self):
        program = Launched(3, *self.LONG, "--time-limit", "60", "--rank-timeout", "3")
        for rank in range(3):
            program.rank_process(rank)
        time.sleep(1)
        program.processes[2].kill()
        codes, _ = program.end(45)
        self.assertEqual(codes, [3, 3, -signal.SIGKILL], program.told)
        self.assertIn("started as rank 2", "".join(program.told[0]))
        self.assertTrue(program.nothing_is_left())

    def test_nobody_stays_without_the_coordinator(self):
        program = Launched(3, *self.LONG, "--time-limit", "60", "--rank-timeout", "3")
        for rank in range(3):
            program.rank_process(rank)
        program.processes[0].kill()
        codes, _ = program.end(30)
        self.assertEqual(codes[0], -signal.SIGKILL)
        self.assertTrue(program.nothing_is_left())


class Devices(unittest.TestCase):
    """What asks for a GPU: on a machine without one it is not checked, and never a pass."""

    def test_a_transport_that_cannot_have_them_is_a_wrong_request(self):
        for flags, says in [
            (["--transport", "sim", "--device", "cuda"], "use --transport gloo or nccl"),
            (["--transport", "nccl", "--device", "cpu"], "use --transport gloo or sim"),
        ]:
            done = alone("check", "--impl", "ring", *flags)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)

    def test_without_a_gpu_nothing_is_checked_and_the_reason_is_said(self):
        if has_gpu():
            self.skipTest("not_run: there is a CUDA device")
        for request in [
            ["check", "--transport", "nccl"],
            ["check", "--impl", "local", "--device", "cuda"],
            ["check", "--transport", "gloo", "--device", "cuda"],
            ["replay", "impl=ring transport=nccl mesh=2x1 q=4 d=2"],
            ["explain", "impl=ring transport=gloo mesh=2x1 q=4 d=2", "--device", "cuda"],
            ["bench", "methods", "--transport", "gloo", "--device", "cuda"],
        ]:
            done = alone(*request)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, "could not check: (not_run: )?no CUDA device: ")


class Mpirun(unittest.TestCase):
    def run_mpirun(self, world, *arguments):
        environment = {**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        return subprocess.run(
            [*MPIRUN, "-n", str(world), PROGRAM, *arguments], capture_output=True, text=True,
            timeout=120, env=environment,
        )  # fmt: skip

    def test_its_world_judges(self):
        case = ["replay", "impl=unified transport=gloo mesh=2x2 q=8 h=4 d=4 seed=3", *ONE]
        done = self.run_mpirun(4, *case)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, alone(*case).stdout)

    def test_a_fault_is_its_exit_code(self):
        done = self.run_mpirun(3, "replay", "impl=mutant:A10 transport=gloo mesh=3x1 q=3 d=1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("failed", done.stdout)

    def test_a_wrong_world_is_said_once(self):
        done = self.run_mpirun(3, *CHECK, "--impl", "unified", "--mesh", "2x2")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("mpirun started 3"), 1, done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if sys.argv[1:2] == ["Mpirun"] and shutil.which("mpirun") is None:
        print("not_run: no mpirun")
        sys.exit(77)
    unittest.main()
