"""Callables by name: how another process reaches the same one."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from types import ModuleType
from typing import Any

from ._protocol import RequestError

KINDS = ("mutant", "model", "merge", "collective", "local")
NOT_REACHED = "ranks are processes of their own, which reach a callable by its name"


def is_callable_name(word: str) -> bool:
    """Whether a word of --impl or --backend names Python, and nothing that is built in."""
    module, _, name = word.rpartition(":")
    return bool(module) and module not in KINDS and all(p.isidentifier() for p in name.split("."))


def load(name: str) -> Any:
    """The object that "package.module:name" or "folder/file.py:name" names."""
    module_name, _, path = name.rpartition(":")
    found: Any = _imported(module_name)
    for part in path.split("."):
        if not hasattr(found, part):
            raise RequestError(f"{module_name} has no '{path}': give a name that it defines")
        found = getattr(found, part)
    return found


def _imported(name: str) -> ModuleType:
    try:
        return _module_of_file(name) if name.endswith(".py") else _module(name)
    except RequestError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        raise RequestError(f"{name} cannot be imported: {said} ({_place_of_error(error)})") from error


def _place_of_error(error: Exception) -> str:
    """The innermost line outside of Python's own import."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith("<frozen")]
    return f"{own[-1].filename}:{own[-1].lineno}"


def name_of(target: Any) -> str:
    """The name by which ranks can load the target, which is then the very same object."""
    if isinstance(target, str):
        if not is_callable_name(target):
            raise RequestError(f"'{target}' names no callable: MODULE:NAME is such a name")
        return target
    path = getattr(target, "__qualname__", None)
    module = sys.modules.get(getattr(target, "__module__", None) or "")
    if module is None or path is None:
        module, path = _place_of_object(target)
    if "<" in path:
        raise RequestError(f"{path} is local or has no name, and {NOT_REACHED}: define it in a module")
    found: Any = module
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is not target:
        raise RequestError(f"{module.__name__}:{path} is something else by now, and {NOT_REACHED}")
    return f"{_module_name(module)}:{path}"


def _place_of_object(target: Any) -> tuple[ModuleType, str]:
    """An instance has no name of its own: that of the variable of a module that holds it."""
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is target and isinstance(module, ModuleType):
                return module, name
    raise RequestError(f"{target!r} is in no variable of a module, and {NOT_REACHED}")


def _module_name(module: ModuleType) -> str:
    if module.__name__ != "__main__" and _is_found(module):
        return module.__name__
    file = getattr(module, "__file__", None)
    if not file or not file.endswith(".py"):
        raise RequestError(f"module {module.__name__} has no file, and {NOT_REACHED}: put it into one")
    relative = os.path.relpath(file)
    return os.path.abspath(file) if relative.startswith("..") else relative


def _is_found(module: ModuleType) -> bool:
    try:
        spec = importlib.util.find_spec(module.__name__)
    except (ImportError, ValueError):
        return False
    file = getattr(module, "__file__", None)
    return spec is not None and file is not None and spec.origin == file


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise
        raise RequestError(f"there is no module '{name}': is it in the working folder or installed?") from error


def _module_of_file(path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise RequestError(f"there is no file '{path}'")
    name = os.path.splitext(os.path.basename(path))[0]
    known = sys.modules.get(name)
    if known is not None and os.path.realpath(getattr(known, "__file__", None) or "") == os.path.realpath(path):
        return known
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)  # else the next load finds half a module
        raise
    return module
