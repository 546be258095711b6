"""python -m attncheck check --impl package.module:attention --mesh 2x2 --dtype f64 --cases 20"""

from __future__ import annotations

import os
import sys

from . import _arguments, _program
from ._protocol import RequestError


def _say_what_takes_time(words: list[str]) -> None:
    if sys.stderr.isatty() and "--quiet" not in words:
        print("attncheck: starting ranks: each imports torch and the callable", file=sys.stderr, flush=True)


def _command(words: list[str]) -> list[str]:
    impls, backends = _arguments.callables_in(words) if words else ([], [])
    if not impls and not backends:
        return words
    if words[0] == "check":
        words = _arguments.with_defaults(words, backends)
    text = _program.descriptions(impls, backends, with_packages=words[0] == "bench")
    _say_what_takes_time(words)
    return [*words, "--callables", f"/proc/self/fd/{_program.file_in_memory(text)}"]


def main() -> None:
    try:
        program = _program.path()
        words = _command(sys.argv[1:])
        os.execve(program, ["attncheck", *words], _program.environment())
    except RequestError as error:
        print(f"attncheck: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
