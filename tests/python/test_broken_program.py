"""A program that dies, is cut off or prints what is no text: no green suite. No rank is started."""

import inspect
import json
import os
import stat
import sys

import gathered_attention as subjects
import pytest

import attncheck
from attncheck import _names, _program

STREAM = {"refused": 0, "unchecked": ["lse_is_natural_log was never judged"]}
RESULT = {"impl": "m:f", "backend": "math", "dtype": "f64", "property": "output_matches_reference", "verdict": "fail",
          "cases": 1, "reason": "", "case": "impl=m:f q=1", "evidence": {
              "message": "too far", "rank": 1, "shard": 2, "index": [0, 3], "expected": "1", "got": "2"}}
WHOLE = json.dumps({"results": [RESULT], "streams": [STREAM]})
AGAIN = "python -m attncheck replay 'impl=m:f q=1' --rank-timeout 4"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program of these lines in place of attncheck; `report` is the path of its JSON."""
    def become(lines):
        path = tmp_path / "attncheck"
        path.write_text(f"#!{sys.executable}\nimport os, signal, sys\n"
                        f"report = sys.argv[sys.argv.index('--json') + 1]\n{inspect.cleandoc(lines)}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(_program, "path", lambda: str(path))

    return become


def check(**options):
    return attncheck.check(subjects.attention, mesh="1x1", **options)


def suite():
    return attncheck.pytest_cases(subjects.attention, mesh="1x1", property="output_matches_reference")


@pytest.mark.parametrize(("lines", "said"), [
    ("print('so far', flush=True); os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL"),
    ("os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV"),
    ("sys.exit(77)", "exited with 77"),
    ("sys.exit(1)", "exited with 1"),
    ("open(report, 'w').write('{\"results\": ['); sys.exit(0)", "exited with 0"),
])
def test_a_run_without_a_whole_report_raises_and_fails_a_suite(program, lines, said):
    program(lines)
    with pytest.raises(RuntimeError, match=said):
        check()
    for name in ("output_matches_reference", "everything_was_checked"):
        with pytest.raises(RuntimeError, match=said):
            suite()(name)


def test_what_fails_does_not_hide_what_was_not_checked(program):
    program(f"open(report, 'w').write({WHOLE!r}); sys.exit(1)")
    with pytest.raises(pytest.fail.Exception, match="lse_is_natural_log was never judged"):
        suite()("everything_was_checked")


def test_a_request_that_cannot_be_run_is_run_once_for_all_properties(program, tmp_path):
    program(f"""
        open({str(tmp_path / 'runs')!r}, 'a').write('.')
        print('attncheck: mesh 0x0 is none', file=sys.stderr)
        sys.exit(2)""")
    test = suite()
    for name in ("output_matches_reference", "everything_was_checked"):
        with pytest.raises(attncheck.RequestError, match="mesh 0x0 is none"):
            test(name)
    assert (tmp_path / "runs").read_text() == "."


def test_a_wrong_request_is_told_where_progress_is_shown(program, capfd):
    program("print('attncheck: mesh 0x0 is none', file=sys.stderr); sys.exit(2)")
    with pytest.raises(attncheck.RequestError, match="^mesh 0x0 is none$"):
        check(progress=True)
    assert "mesh 0x0 is none" in capfd.readouterr().err


def test_a_terminal_is_still_one_for_the_program(program, monkeypatch):
    program("print('attncheck: a terminal:', os.isatty(2), file=sys.stderr); sys.exit(2)")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(attncheck.RequestError, match="^a terminal: True$"):
        check()


def test_bytes_that_are_no_text_are_shown_as_such(program):
    program(f"""
        sys.stdout.buffer.write(b'rank 0 printed \\xff'); sys.stdout.flush()
        open(report, 'w').write({WHOLE!r})
        sys.exit(1)""")
    assert "rank 0 printed \ufffd" in str(check())


def test_a_failure_says_where_what_and_how_it_is_run_again(program):
    program(f"""
        print("  again    " + {AGAIN!r})
        open(report, 'w').write({WHOLE!r})
        sys.exit(1)""")
    (failure,) = check(rank_timeout=4).failures
    assert failure.replay == AGAIN
    for words in ("too far", "rank 1, shard 2, index (0, 3)", "expected 1", "got      2", AGAIN):
        assert words in str(failure)


def test_no_file_is_left_open_where_there_is_no_program(monkeypatch):
    def missing():
        raise attncheck.RequestError("there is no program")

    monkeypatch.setattr(_program, "path", missing)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(attncheck.RequestError, match="there is no program"):
        check()
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_file_whose_import_raised_raises_again(tmp_path):
    file = tmp_path / "half_a_module.py"
    file.write_text("raise ValueError('half of it')\n")
    for _ in range(2):
        with pytest.raises(ValueError, match="half of it"):
            _names.load(f"{file}:attention")
