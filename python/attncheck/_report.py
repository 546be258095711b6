"""What a check came to."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ._program import AGAIN


@dataclass(frozen=True)
class Result:
    """What one property said of one stream of cases: an implementation, a backend and a dtype."""

    impl: str
    backend: str
    dtype: str
    property: str
    verdict: str  # "pass", "fail", "known", "unsupported" or "not_run"
    cases: int  # judged
    reason: str  # of unsupported and not_run
    case: str | None  # of a failure: the smallest case that still fails
    evidence: dict[str, Any] | None
    replay: str | None  # the line that runs the failure's case again


@dataclass(frozen=True)
class Failure(Result):
    """A property that turned out false."""

    def __str__(self) -> str:
        evidence = self.evidence or {}
        lines = {"where": _place(evidence), "expected": evidence.get("expected"), "got": evidence.get("got"),
                 "case": self.case, "again": self.replay}
        said = "".join(f"\n  {label:<8} {value}" for label, value in lines.items() if value)
        return f"FAILED {self.property}: {evidence.get('message', '')}{said}"


@dataclass(frozen=True)
class Report:
    """The report of a check; str() of it is what the program prints."""

    exit_code: int  # 0 all held, 1 something failed, 3 something could not be checked
    text: str
    data: dict[str, Any] = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether everything that was asked for was checked and held."""
        return self.exit_code == 0

    @property
    def results(self) -> list[Result]:
        return [_result(entry, self.text) for entry in self.data.get("results", [])]

    @property
    def failures(self) -> list[Failure]:
        return [result for result in self.results if isinstance(result, Failure)]

    @property
    def unchecked(self) -> list[str]:
        """What could not be checked, a line each; empty where that is nothing."""
        return [line for stream in self.data.get("streams", []) for line in stream["unchecked"]]

    @property
    def refused(self) -> int:
        """How many drawn cases the subject refused as none of its own."""
        return sum(stream["refused"] for stream in self.data.get("streams", []))

    def to_json(self) -> str:
        return json.dumps(self.data, indent=2)

    def __str__(self) -> str:
        return self.text


def _place(evidence: dict[str, Any]) -> str:
    """Rank, shard and index, as far as they are known."""
    parts = [f"{key} {evidence[key]}" for key in ("rank", "shard") if evidence.get(key, -1) >= 0]
    if evidence.get("index"):
        parts.append(f"index ({', '.join(map(str, evidence['index']))})")
    return ", ".join(parts)


def _replay(case: str | None, text: str) -> str | None:
    """As the text has it: with the flags that the check was given for its ranks."""
    if case is None:
        return None
    plain = f"{AGAIN} replay '{case}'"
    return next((line.partition("again")[2].strip() for line in text.splitlines() if plain in line), plain)


def _result(entry: dict[str, Any], text: str) -> Result:
    kind = Failure if entry["verdict"] == "fail" else Result
    keys = ("impl", "backend", "dtype", "property", "verdict", "cases", "reason", "case", "evidence")
    return kind(**{key: entry[key] for key in keys}, replay=_replay(entry["case"], text))
