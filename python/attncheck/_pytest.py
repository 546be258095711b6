"""A project's own test suite: one test for each property."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable
from typing import Any

from . import _program
from ._check import check
from ._report import Report, Result

COMPLETE = "everything_was_checked"


@functools.cache
def property_names() -> tuple[str, ...]:
    listed = subprocess.run([_program.path(), "list", "properties"], env=_program.environment(), check=True,
                            capture_output=True, text=True, timeout=120)
    return tuple(line.split()[0] for line in listed.stdout.splitlines() if line)


def pytest_cases(attention: Any = None, **options: Any) -> Callable[[str], None]:
    """A test function for pytest with one test for each property, of one run of check(attention, **options).

        test_attention = attncheck.pytest_cases(attention, mesh="2x2", dtype="f64", cases=20)

    A failure shows the evidence, the smallest case and the line that runs it again. A property that does not apply
    is skipped with the reason. One more test, everything_was_checked, fails where the run left something unchecked.
    """
    import pytest

    @functools.cache
    def outcome() -> Report | Exception:
        try:
            return check(attention, **options)
        except Exception as error:  # of every property, and of one run
            return error

    def report() -> Report:
        came = outcome()
        if isinstance(came, Exception):
            raise came
        return came

    asked = options.get("property") or "all"
    asked = asked.split(",") if isinstance(asked, str) else list(asked)

    @pytest.mark.parametrize("property", [*(property_names() if "all" in asked else asked), COMPLETE])
    def test(property: str) -> None:
        if property == COMPLETE:
            _judge_all(report())
        else:
            _judge([r for r in report().results if r.property == property])

    return test


def _judge_all(report: Report) -> None:
    import pytest

    if report.unchecked or report.exit_code == 3:
        pytest.fail("\n".join(report.unchecked) or str(report), pytrace=False)


def _judge(results: list[Result]) -> None:
    import pytest

    bad = [_text(result) for result in results if result.verdict in ("fail", "not_run")]
    if bad:
        pytest.fail("\n".join(bad), pytrace=False)
    if not any(result.verdict in ("pass", "known") for result in results):
        pytest.skip(results[0].reason if results else "it does not speak of this kind of subject")


def _text(result: Result) -> str:
    return str(result) if result.verdict == "fail" else f"{result.property} could not be judged: {result.reason}"
