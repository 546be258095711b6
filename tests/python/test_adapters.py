"""Released libraries, by their adapters in examples/python: what holds on them, and what does not.
By hand: test_by_hand.py."""

import os
import subprocess
import sys

import attncheck
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples", "python")
sys.path.insert(0, EXAMPLES)

OUTPUT, LSE = "output_matches_reference", "lse_matches_reference"
GRADIENTS = "gradients_match_reference"
ALL_THREE = {OUTPUT, LSE, GRADIENTS}


def failed(report):
    return {failure.property: failure for failure in report.failures}


def held(report):
    return {result.property for result in report.results if result.verdict == "pass"}


@pytest.mark.parametrize("mesh", ["1x2", "1x4", "2x2", "2x1"])
def test_diffusers_is_right_up_to_ring_degree_two(mesh):
    report = attncheck.check("diffusers_cp:attention", mesh=mesh, dtype="f64",
                             property=",".join(sorted(ALL_THREE)), cases=8, rank_timeout=60)
    assert report.failures == [], str(report)
    assert held(report) == ALL_THREE, str(report)


def test_diffusers_ring_of_three_fails_by_its_gradients():
    report = attncheck.check("diffusers_cp:attention", mesh="3x1", dtype="f64", property=GRADIENTS,
                             cases=1, rank_timeout=60)
    assert set(failed(report)) == {GRADIENTS}
    assert "mesh=3x1" in failed(report)[GRADIENTS].case


def test_diffusers_ring_of_three_delivers_dk_and_dv_to_wrong_owners():
    """On its smallest case: one token a rank, one head."""
    case = "impl=diffusers_cp:attention transport=gloo mesh=3x1 q=3 d=1 seed=1"
    explained = subprocess.run([sys.executable, "-m", "attncheck", "explain", case], cwd=EXAMPLES,
                               capture_output=True, text=True, timeout=300)
    assert explained.returncode == 1, explained.stderr
    for tensor in ("dK", "dV"):
        assert f"{tensor}: the sum over ranks is right" in explained.stdout
        moved = f"{tensor} of key shard 1: what query rank 0 adds arrives at rank 2"
        assert moved in explained.stdout
    assert explained.stdout.count("right sum, wrong owner") == 2
    assert "dQ is right on every rank" in explained.stdout
    assert "wrong from so many ring ranks back (0 to 2): dK 1, dV 1" in explained.stdout


def test_diffusers_returns_an_lse_whose_gradient_is_lost():
    report = attncheck.check("diffusers_cp:attention", mesh="2x1", dtype="f64",
                             property="lse_gradient_flows_or_is_refused", cases=1, rank_timeout=60)
    assert set(failed(report)) == {"lse_gradient_flows_or_is_refused"}


def test_ring_of_torch_is_right():
    report = attncheck.check("torch_cp:attention", mesh="2x1,3x1", dtype="f64",
                             property=",".join(sorted(ALL_THREE)), cases=8, rank_timeout=60)
    assert report.failures == [], str(report)
    assert held(report) == ALL_THREE, str(report)
