"""The program attncheck, which draws, judges and reports; ranks are started by it, and are Python again."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterable

from . import _describe, _names, _packages
from ._protocol import RequestError

FOLDER = os.path.dirname(os.path.abspath(__file__))
AGAIN = "python -m attncheck"


def path() -> str:
    program = os.path.join(FOLDER, "bin", "attncheck")
    if not os.access(program, os.X_OK):
        raise RequestError(f"there is no program {program}: install the package again")
    return program


def environment() -> dict[str, str]:
    """With the folder of the installed torch's libraries, wherever it was when attncheck was built."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise RequestError("there is no torch here: pip install torch")
    libraries = os.path.join(os.path.dirname(spec.origin), "lib")
    given = os.environ.get("LD_LIBRARY_PATH")
    return {**os.environ, "LD_LIBRARY_PATH": libraries + (os.pathsep + given if given else "")}


def _described(names: Iterable[str], keywords) -> list[dict[str, object]]:
    return [{"name": name, "takes": keywords(_names.load(name), name)} for name in names]


def descriptions(implementations: list[str], backends: list[str], with_packages: bool = False) -> str:
    """What --callables is to be given: what the callables take, and how to start a rank."""
    described = {
        "implementations": _described(implementations, _describe.attention_keywords),
        "backends": _described(backends, _describe.backend_keywords),
    }
    asked = {
        "path": [os.getcwd() if folder == "" else folder for folder in sys.path],
        "implementations": implementations,
        "backends": backends,
    }
    command = [sys.executable, os.path.join(FOLDER, "_rank.py"), json.dumps(asked)]
    packages = _packages.versions([*implementations, *backends]) if with_packages else {}
    return json.dumps({"rank_command": command, "program": AGAIN, "packages": packages, **described})


def file_in_memory(text: str) -> int:
    """An open file of that text that is on no disk, and stays open in what is exec'ed."""
    file = os.memfd_create("attncheck-callables", 0)
    os.write(file, text.encode())
    os.set_inheritable(file, True)
    return file
