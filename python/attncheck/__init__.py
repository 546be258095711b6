"""Checks context-parallel attention that is written in Python against an independent float64 reference.

    report = attncheck.check(attention, mesh="2x2", dtype="f64", cases=20)
    assert report.ok, report

`python -m attncheck check --impl package.module:attention` is the same from a shell.
"""

from ._check import check
from ._protocol import RequestError, Unsupported
from ._pytest import pytest_cases
from ._report import Failure, Report, Result

__all__ = ["Failure", "Report", "RequestError", "Result", "Unsupported", "check", "pytest_cases"]
