"""attncheck.check: the program as a child of this process."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from . import _arguments, _names, _program, _watched
from ._protocol import RequestError
from ._report import Report

Words = str | Sequence[str] | None
Target = str | Callable[..., Any]


def check(
    attention: Target | Sequence[Target] | None = None,
    *,
    backend: Any = None,
    mesh: Words = None,
    transport: Words = None,
    dtype: Words = None,
    property: Words = None,
    cases: int | None = None,
    seed: int = 1,
    time_limit: float | None = None,
    rank_timeout: float = 30,
    expect: str | None = None,
    corpus: str = "none",
    arguments: Sequence[str] = (),
    progress: bool | None = None,
) -> Report:
    """Checks an attention, or a backend, and returns the report.

    `attention` is a callable (or several) that a module defines, or its name "package.module:name";
    with `backend` it may be "local" and "ring" as well, which is what it is without. What `mesh`, `dtype` and
    `property` take is what the flags of the command line take ("2x2,3x1", "f64,f32"). `transport` is "gloo", a
    process for each rank, or "sim": threads of one process, many times faster, and exchanges are judged as well, for
    callables that keep no state of a rank in their modules. `rank_timeout` is the
    time in seconds that one call may take. `arguments` are further words for `attncheck check`.

    Ranks are in processes of their own that import the callable's module: a script that calls check() does
    so under `if __name__ == "__main__":`. Raises RequestError for a request that cannot be run, and RuntimeError
    where the program was killed or left no report.
    """
    if "ATTNCHECK_RANK_PROCESS" in os.environ:
        raise RuntimeError('check() is called where a rank imports this module: put the call under if __name__ == "__main__":')
    flags = {"--impl": _named(attention), "--backend": _named(backend), "--mesh": mesh, "--dtype": dtype,
             "--transport": transport, "--property": property, "--cases": cases, "--seed": seed, "--time-limit": time_limit,
             "--rank-timeout": rank_timeout, "--expect": expect, "--corpus": corpus}
    words = ["check"]
    for flag, value in flags.items():
        if value is not None:
            words += [flag, _text(value)]
    shown = sys.stderr.isatty() if progress is None else progress
    words += [*arguments, *([] if shown else ["--quiet"])]
    return _run(words)


def _named(target: Any) -> str | None:
    if target is None:
        return None
    targets = target if isinstance(target, (list, tuple)) else [target]
    names = [name for one in targets for name in (one.split(",") if isinstance(one, str) else [one])]
    return ",".join(n if isinstance(n, str) and ":" not in n else _names.name_of(n) for n in names)


def _text(value: Any) -> str:
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)


def _run(words: list[str]) -> Report:
    impls, backends = _arguments.callables_in(words)
    if not impls and not backends:
        raise RequestError("nothing of Python is named: give a callable, or a backend")
    words = _arguments.with_defaults(words, backends)
    program = _program.path()
    callables = _program.file_in_memory(_program.descriptions(impls, backends))
    try:
        with tempfile.TemporaryDirectory(prefix="attncheck-") as folder:
            report = os.path.join(folder, "report.json")
            command = [program, *words, "--json", report, "--callables", f"/proc/self/fd/{callables}"]
            status, text, told = _watched.run(command, [callables], shown="--quiet" not in words)
            data = _read(report)
    finally:
        os.close(callables)
    if status == 2:
        raise RequestError(_watched.last_line(told).removeprefix("attncheck: "))
    if status not in (0, 1, 3) or (data is None and status != 3):
        raise RuntimeError(f"the program {_watched.ending(status)} and left no whole report\n{text}{told}".rstrip())
    if data is None:
        text, data = text + told, {}
    return Report(exit_code=status, text=text.rstrip(), data=data)


def _read(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return json.load(file)
    except (FileNotFoundError, json.JSONDecodeError):
        return None
