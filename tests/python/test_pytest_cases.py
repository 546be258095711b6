"""A project's own suite: three lines, and one test for each property."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = """
import attncheck
import gathered_attention

PROPERTIES = "output_matches_reference,gradients_match_reference,lse_matches_reference"

test_right = attncheck.pytest_cases(gathered_attention.even_heads, mesh="2x1", dtype="f64", cases=4, property=PROPERTIES)
test_wrong = attncheck.pytest_cases(gathered_attention.doubles_out, mesh="2x1", dtype="f64", cases=4, property=PROPERTIES)

def test_fixture(attncheck_holds):
    attncheck_holds(gathered_attention.doubles_out, mesh="2x1", dtype="f64", cases=2, property=PROPERTIES)
"""


def test_one_test_for_each_property_with_the_line_that_runs_it_again(tmp_path):
    suite = tmp_path / "test_suite.py"
    suite.write_text(SUITE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "attncheck.pytest_plugin", "-p", "no:cacheprovider", str(suite)],
        capture_output=True, text=True, timeout=400, cwd=HERE, env={**os.environ, "PYTHONPATH": HERE})
    said = done.stdout
    assert done.returncode == 1, said + done.stderr
    assert "PASSED" in said and "test_suite.py::test_right[output_matches_reference]" in said, said + done.stderr
    for name in ("output_matches_reference", "gradients_match_reference"):
        assert any(f"test_wrong[{name}]" in line for line in said.splitlines() if line.startswith("FAILED")), said
    assert "python -m attncheck replay 'impl=gathered_attention:doubles_out transport=gloo mesh=1x1 q=1 d=1" in said
    assert "test_suite.py::test_fixture" in said
    passed = [line for line in said.splitlines() if line.startswith("PASSED")]
    failed = [line for line in said.splitlines() if line.startswith("FAILED")]
    assert any("test_right[gradients_match_reference]" in line for line in passed), said
    assert any("test_wrong[gradients_match_reference]" in line for line in failed), said
    assert any("test_fixture" in line for line in failed), said
    assert any("test_right[everything_was_checked]" in line for line in passed + failed), said
    assert "SKIPPED" in said
