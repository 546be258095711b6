"""Checks of callables from end to end, on ranks that are processes."""

import json
import os
import re
import shlex
import subprocess
import sys

import backends
import dense_backend
import gathered_attention as subjects
import pytest

import attncheck

HERE = os.path.dirname(os.path.abspath(__file__))
FEW = "supported_case_runs_to_the_end,output_matches_reference,gradients_match_reference"


def run(*words, **options):
    return subprocess.run([sys.executable, "-m", "attncheck", *words], capture_output=True, text=True, timeout=400,
                          cwd=HERE, **options)


def check(target, **options):
    options = {"mesh": "2x1", "dtype": "f64", "cases": 6, "property": FEW, **options}
    return attncheck.check(target, **options)


def test_right_attention_holds_on_a_mesh_of_both_kinds():
    done = run("check", "--impl", "gathered_attention:attention", "--mesh", "2x2", "--dtype", "f64", "--cases", "8",
               "--corpus", "none", "--property", FEW + ",lse_matches_reference,mesh_does_not_matter")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b[89] cases\b", done.stdout), done.stdout


def test_a_failure_is_shrunk_and_its_line_runs_it_again():
    report = check(subjects.doubles_out)
    assert report.exit_code == 1 and not report.ok
    by_name = {failure.property: failure for failure in report.failures}
    assert set(by_name) == {"output_matches_reference", "gradients_match_reference"}
    failure = by_name["output_matches_reference"]
    assert failure.case == "impl=gathered_attention:doubles_out transport=gloo mesh=1x1 q=1 d=1 return_lse=0 seed=1"
    assert f"again    {failure.replay}" in str(report)
    words = shlex.split(failure.replay)
    assert words[:3] == ["python", "-m", "attncheck"]
    again = run(*words[3:])
    assert again.returncode == 1
    assert "FAILED output_matches_reference" in again.stdout
    assert failure.replay in again.stdout


def test_explain_takes_a_callable():
    done = run("explain", "impl=gathered_attention:attention transport=gloo mesh=2x1 q=2 d=1 seed=1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "query rank 1" in done.stdout


def test_reports_of_callables_are_compared(tmp_path):
    """compare runs no callable, and takes no description of one."""
    files = [str(tmp_path / name) for name in ("a.json", "b.json")]
    for file in files:
        done = run("check", "--impl", "gathered_attention:attention", "--mesh", "1x1", "--dtype", "f64", "--cases", "1",
                   "--corpus", "none", "--property", "output_matches_reference", "--json", file)
        assert done.returncode in (0, 3), done.stdout + done.stderr
    compared = run("compare", *files)
    assert compared.returncode == 0, compared.stdout + compared.stderr


def test_a_report_is_json_and_text():
    report = check(subjects.attention, cases=2, property="output_matches_reference")
    assert report.exit_code in (0, 3)
    data = json.loads(report.to_json())
    assert data["results"][0]["property"] == "output_matches_reference"
    assert "gathered_attention:attention" in str(report)


def test_what_a_call_refuses_is_drawn_anew_and_counted():
    report = check(subjects.even_heads, cases=12)
    assert report.refused > 0
    assert not report.failures
    assert {r.verdict for r in report.results} == {"pass"}
    assert f"{report.refused} of " in str(report)


def test_what_refuses_everything_is_no_pass():
    with pytest.raises(attncheck.RequestError, match="it is not written yet"):
        check(subjects.nothing)


def test_a_keyword_that_is_not_taken_is_not_asked_for():
    report = check(subjects.attention, property="empty_rows_are_zero_and_minus_infinity", cases=4)
    assert report.exit_code == 3
    with pytest.raises(attncheck.RequestError, match="no keyword 'group'"):
        check(subjects.dense)


def test_a_backend_alone_and_in_a_ring():
    report = check(None, backend=dense_backend.Dense, mesh="1x1,2x1", property=FEW, cases=10)
    assert not report.failures, str(report)
    assert {r.impl for r in report.results} == {"local", "ring"}
    wrong = check("local", backend=dense_backend.WithoutScale, mesh="1x1")
    assert [f.property for f in wrong.failures] == ["gradients_match_reference"]
    assert "backend=dense_backend:WithoutScale" in wrong.failures[0].case


@pytest.mark.parametrize("words", ["q=8 causal=1 layout=striped", "q=7 kv=8 causal=1"])
def test_a_backend_of_square_blocks_is_refused_before_the_ring_starts(words):
    done = run("replay", f"impl=ring backend=backends:BySquares transport=gloo mesh=2x1 d=1 {words} seed=1")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "no keyword 'mask'" in done.stderr


@pytest.mark.parametrize("backend", [backends.BySquares, backends.ByDiagonal])
def test_a_right_backend_holds_however_it_is_told_of_hidden_keys(backend):
    report = check("ring", backend=backend, mesh="1x1,2x1", cases=12,
                   property=FEW + ",lse_matches_reference,lse_gradient_flows_or_is_refused")
    assert not report.failures, str(report)
    held = {r.property for r in report.results if r.verdict == "pass"}
    assert {*FEW.split(","), "lse_gradient_flows_or_is_refused"} <= held, str(report)


@pytest.mark.parametrize(("words", "said"), [
    (["check", "--impl", "gathered_attention:attention,mutant:A10"], "mutants and for callables in two runs"),
    (["replay", "impl=mutant:A10 backend=dense_backend:Dense transport=gloo mesh=2x1 q=2 d=1 seed=1"],
     "mutants and for callables in two runs"),
    (["check", "--impl", "gathered_attention:attention", "--device", "cuda"], "ranks of callables have CPU tensors"),
])
def test_what_ranks_of_callables_cannot_do_is_refused_by_name(words, said):
    done = run(*words)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
