"""Each faulty callable of examples/python is caught by the property that its file names, on its
smallest case; right ones hold everything."""

import os
import sys

import attncheck
import pytest

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python")
sys.path.insert(0, os.path.abspath(EXAMPLES))

# Callable, mesh, property that must catch it, words of the case to which it is shrunk.
CAUGHT = [
    ("a1_one_gradient_fewer:attention", "1x2", "gradient_count_matches_inputs", "mesh=1x1 q=1"),
    ("a5_gather_keeps_its_slice:attention", "2x1", "gradients_match_reference", "mesh=2x1 q=2"),
    ("a9_first_keys_in_every_step:attention", "2x1", "gradients_match_reference", "mesh=2x1 q=2"),
    ("a10_sums_against_the_tour:attention", "3x1", "gradients_match_reference", "mesh=3x1 q=3"),
    ("b1_one_axis_too_many:attention", "2x1", "lse_has_declared_shape", "mesh=1x1 q=1"),
    ("b5_base_two_lse:attention", "2x1", "lse_is_natural_log", "mesh=1x1 q=1"),
]


@pytest.mark.parametrize(("name", "mesh", "property", "words"), CAUGHT,
                         ids=[name.split("_")[0] for name, *_ in CAUGHT])
def test_faulty_callable_is_caught_by_its_property(name, mesh, property, words):
    report = attncheck.check(name, mesh=mesh, dtype="f64", property=property, cases=3)
    assert report.exit_code == 1, str(report)
    (failure,) = report.failures
    assert failure.property == property
    out_of_time = "a smaller case may exist: the time was up" in str(report)  # on a busy machine
    assert out_of_time or f" {words} d=1 " in f"{failure.case} ", str(report)


RIGHT = [("ring:attention", "2x1,3x1"), ("ulysses:attention", "1x2")]


@pytest.mark.parametrize(("name", "mesh"), RIGHT)
def test_right_callable_holds_everything(name, mesh):
    report = attncheck.check(name, mesh=mesh, dtype="f64", cases=10)
    assert report.ok, str(report)
    judged = {r.property for r in report.results if r.verdict == "pass"}
    assert {"output_matches_reference", "lse_matches_reference", "gradients_match_reference",
            "lse_gradient_flows_or_is_refused", "vjp_is_linear_in_cotangent"} <= judged
