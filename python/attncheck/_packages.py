"""Which installed packages a callable's module uses, and their versions."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import sys
from collections.abc import Iterable
from types import ModuleType

from . import _names


def _imports_of(module: ModuleType) -> set[str]:
    """The first names of what the module imports, at its top or inside functions, and its own."""
    names = {module.__name__}
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return names
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def versions(names: Iterable[str]) -> dict[str, str]:
    """{"diffusers": "0.42.1", ...}: of the callables of these names, by the names of the packages."""
    modules = [sys.modules.get(getattr(_names.load(name), "__module__", "")) for name in names]
    imported = {part for module in modules if module is not None for part in _imports_of(module)}
    packages = importlib.metadata.packages_distributions()
    found = {package for part in imported for package in packages.get(part, ())}
    return {package: importlib.metadata.version(package) for package in sorted(found)}
