"""The fixture of attncheck, for pytest: installed with the package, or by -p attncheck.pytest_plugin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ._check import check
from ._report import Report


@pytest.fixture
def attncheck_holds() -> Callable[..., Report]:
    """attncheck.check() that fails the test, with the report, unless everything was checked and held."""

    def holds(attention: Any = None, **options: Any) -> Report:
        report = check(attention, **options)
        if not report.ok:
            pytest.fail(str(report), pytrace=False)
        return report

    return holds
