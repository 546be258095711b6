"""Ranks that are threads of one process: --transport sim for callables."""

import subprocess
import sys

import gathered_attention as subjects
import pytest

import attncheck

from test_misbehaving import HERE, TO_THE_END, ranks_of

VALUES = "output_matches_reference,gradients_match_reference"
EXCHANGES = "every_work_is_waited_for,collectives_match_on_all_ranks,schedule_does_not_matter"


def test_right_callable_holds_everything_and_its_exchanges_are_judged():
    report = attncheck.check(subjects.attention, mesh="2x1,3x1,1x4", transport="sim", dtype="f64", cases=30)
    assert report.ok, str(report)
    passed = {r.property for r in report.results if r.verdict == "pass"}
    assert {*VALUES.split(","), *EXCHANGES.split(","), "same_case_twice_is_bitwise_equal"} <= passed


@pytest.mark.parametrize("name", ["grouped", "polling", "functional"])
def test_each_way_to_ask_torch_distributed_works_in_threads(name):
    report = attncheck.check(getattr(subjects, name), mesh="2x1,4x1", transport="sim", dtype="f64", cases=10,
                             property="output_matches_reference," + EXCHANGES)
    assert report.ok, str(report)


@pytest.mark.parametrize("transport", ["sim", "gloo"])
def test_a_mesh_finds_its_groups_after_one_that_had_a_part_of_the_ranks(transport):
    inner = "subgroups_of_a_larger_world_work"  # 2x1 in a world of four: two ranks make no group
    report = attncheck.check(subjects.over_both_groups, mesh="2x1,2x2", transport=transport, dtype="f64", cases=6,
                             property=inner + "," + VALUES)
    assert report.ok and not report.unchecked, str(report)
    assert {(r.property, r.verdict) for r in report.results} == {(p, "pass") for p in (inner, *VALUES.split(","))}


def test_a_work_that_nobody_waits_for_is_seen():
    report = attncheck.check(subjects.drops_a_work, mesh="2x1", transport="sim", dtype="f64", cases=3,
                             property="every_work_is_waited_for")
    (failure,) = report.failures
    assert failure.case == "impl=gathered_attention:drops_a_work mesh=2x1 q=2 d=1 return_lse=0 seed=1"


@pytest.mark.parametrize("transport", ["sim", "gloo"])
def test_what_one_backward_raises_does_not_reach_the_next_case(transport):
    report = attncheck.check(subjects.no_backward_for_odd_heads, mesh="2x1", transport=transport, dtype="f64", cases=12,
                             property=TO_THE_END + "," + VALUES)
    (failure,) = report.failures
    assert failure.property == TO_THE_END and "an odd number of heads" in failure.evidence["message"], str(report)
    assert not report.unchecked, str(report)
    assert {r.property for r in report.results if r.verdict == "pass"} == set(VALUES.split(","))


@pytest.mark.parametrize(("name", "said", "rank"), [
    ("raises_on_one_rank", "ValueError: this rank does not want to (gathered_attention.py:", 1),
    ("raises_in_backward_on_one_rank", "rank 1, backward: no gradient from this rank", 1),
    ("refuses_on_one_rank", "this rank does not do it", 1),
    ("never_returns", "gave no answer", 0),
    ("kills_its_process", "exited with status 7", 0),
])
def test_each_way_to_misbehave_has_its_verdict(name, said, rank):
    case = f"impl=gathered_attention:{name} mesh=2x1 q=2 d=1 seed=1 return_lse=0"
    done = subprocess.run([sys.executable, "-m", "attncheck", "replay", case, "--property", TO_THE_END, "--rank-timeout", "4"],
                          capture_output=True, text=True, timeout=400, cwd=HERE)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"FAILED {TO_THE_END}" in done.stdout
    assert said in done.stdout
    assert f"where    rank {rank}" in done.stdout
    assert ranks_of(name) == []


def test_a_fault_is_shrunk_and_replayed_as_over_processes():
    over = {t: attncheck.check(subjects.doubles_out, mesh="2x1", transport=t, dtype="f64", cases=3,
                               property="output_matches_reference").failures[0] for t in ("sim", "gloo")}
    assert over["sim"].case == over["gloo"].case.replace("transport=gloo ", "")
    assert over["sim"].evidence == over["gloo"].evidence


def test_no_isolate_is_refused():
    with pytest.raises(attncheck.RequestError, match="--no-isolate"):
        attncheck.check(subjects.attention, mesh="2x1", transport="sim", cases=1, arguments=["--no-isolate"])
