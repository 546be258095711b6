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


@pytest.mark.parametrize(("subject", "said", "rank"), [
    (subjects.raises_on_one_rank, "ValueError: this rank does not want to (gathered_attention.py:", 1),
    (subjects.refuses_on_one_rank, "this rank does not do it", 1),
    (subjects.returns_three, "must return (out, lse), and returned a tuple of 3", 0),
    (subjects.never_returns, "gave no answer", 0),
    (subjects.kills_its_process, "exited with status 7", 0),
])
def test_each_way_to_misbehave_has_its_verdict(subject, said, rank):
    report = attncheck.check(subject, mesh="2x1", dtype="f64", cases=2, property=TO_THE_END, rank_timeout=4)
    (failure,) = report.failures
    assert failure.property == TO_THE_END
    assert failure.evidence["rank"] == rank
    assert said in failure.evidence["message"]
    assert "q=2 d=1" in failure.case
    assert ranks_of(subject.__name__) == []


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
