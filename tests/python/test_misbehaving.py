"""Callables that raise, hang or die: right verdicts, and nothing left behind."""

import glob
import os
import signal
import subprocess
import sys
import time

import gathered_attention as subjects
import pytest

import attncheck

HERE = os.path.dirname(os.path.abspath(__file__))
TO_THE_END = "supported_case_runs_to_the_end"


def ranks_of(name):
    """Processes that run ranks of a callable."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read()
        except OSError:
            continue
        if b"_rank.py" in words and name.encode() in words:
            found.append(path.split("/")[2])
    return found


@pytest.mark.parametrize(("name", "said", "rank"), [
    ("raises_on_one_rank", "ValueError: this rank does not want to (gathered_attention.py:", 1),
    ("raises_in_backward_on_one_rank", "rank 1, backward: no gradient from this rank", 1),
    ("refuses_on_one_rank", "this rank does not do it", 1),
    ("returns_three return_lse=1", "must return (out, lse) with return_lse=True, and returned a tuple of 3", 0),
    ("never_returns", "gave no answer", 0),
    ("kills_its_process", "exited with status 7", 0),
])
def test_each_way_to_misbehave_has_its_verdict(name, said, rank):
    subject, _, words = name.partition(" ")
    case = f"impl=gathered_attention:{subject} transport=gloo mesh=2x1 q=2 d=1 seed=1 {words or 'return_lse=0'}"
    done = subprocess.run([sys.executable, "-m", "attncheck", "replay", case, "--property", TO_THE_END, "--rank-timeout", "4"],
                          capture_output=True, text=True, timeout=400, cwd=HERE)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"FAILED {TO_THE_END}" in done.stdout
    assert said in done.stdout
    assert f"where    rank {rank}" in done.stdout
    assert ranks_of(subject) == []


def test_what_raises_on_every_rank_is_shrunk_on_the_same_ranks():
    report = attncheck.check(subjects.returns_three, mesh="2x1", dtype="f64", cases=2, property=TO_THE_END)
    (failure,) = report.failures
    assert failure.case == "impl=gathered_attention:returns_three transport=gloo mesh=1x1 q=1 d=1 seed=1"
    assert "returned a tuple of 3" in failure.evidence["message"]


def test_ranks_end_with_the_process_that_asked_for_them():
    script = ("import attncheck, gathered_attention as subjects\n"
              "attncheck.check(subjects.never_returns, mesh='2x1', dtype='f64', rank_timeout=300)\n")
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=HERE)
    try:
        end = time.monotonic() + 120
        while len(ranks_of("never_returns")) < 2 and time.monotonic() < end:
            time.sleep(0.2)
        assert len(ranks_of("never_returns")) == 2
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    end = time.monotonic() + 20
    while ranks_of("never_returns") and time.monotonic() < end:
        time.sleep(0.2)
    assert ranks_of("never_returns") == []
