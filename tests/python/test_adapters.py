"""Released libraries, by their adapters in examples/python: what holds on them, and what does not.
By hand: test_by_hand.py."""

import os
import sys

import attncheck
import pytest

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python")
sys.path.insert(0, os.path.abspath(EXAMPLES))

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


def test_diffusers_ring_of_three_delivers_dk_and_dv_to_wrong_owners():
    report = attncheck.check("diffusers_cp:attention", mesh="3x1", dtype="f64", property=GRADIENTS,
                             cases=1, rank_timeout=60)
    assert set(failed(report)) == {GRADIENTS}
    case = failed(report)[GRADIENTS].case
    assert "mesh=3x1 q=3 d=1 " in case, case  # one token a rank, one head


def test_diffusers_returns_an_lse_whose_gradient_is_lost():
    report = attncheck.check("diffusers_cp:attention", mesh="2x1", dtype="f64",
                             property="lse_gradient_flows_or_is_refused", cases=1, rank_timeout=60)
    assert set(failed(report)) == {"lse_gradient_flows_or_is_refused"}


def test_ring_of_torch_is_right():
    report = attncheck.check("torch_cp:attention", mesh="2x1,3x1", dtype="f64",
                             property=",".join(sorted(ALL_THREE)), cases=8, rank_timeout=60)
    assert report.failures == [], str(report)
    assert held(report) == ALL_THREE, str(report)


@pytest.mark.parametrize("name", ["ring_flash_attention_cp:attention", "yunchang_cp:attention"])
def test_dq_in_float16_lies_on_the_grid_of_bfloat16(name):
    report = attncheck.check(name, mesh="2x1", dtype="f16", cases=4, rank_timeout=60,
                             property="gradient_dtype_and_shape_match_input")
    assert set(failed(report)) == {"gradient_dtype_and_shape_match_input"}, str(report)
