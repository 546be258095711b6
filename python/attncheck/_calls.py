"""Calls of callables in rank processes: what they are given, and what they may return."""

from __future__ import annotations

import os
import traceback
from types import TracebackType
from typing import Any

import torch

from . import _describe, _names


def described(error: BaseException, trace: TracebackType | None) -> str:
    """Type, text and the place in the callable's own code, in one line."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip().replace("\n", " | ")
    ours = os.path.dirname(os.path.abspath(__file__))
    frames = [f for f in traceback.extract_tb(trace) if not f.filename.startswith(ours)]
    if not frames:
        return text
    return f"{text} ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno}, in {frames[-1].name})"


def _require_tensors(returned: Any, names: str, who: str) -> tuple[Any, ...]:
    """The tensors of that many names, of what a callable returned."""
    expected = names.partition(" with ")[0].strip("()").split(", ")
    count = len(expected)
    values = (returned,) if count == 1 and isinstance(returned, torch.Tensor) else returned
    if not isinstance(values, (tuple, list)) or len(values) != count:
        raise TypeError(f"{who} must return {names}, and returned {_kind(returned)}")
    for name, value in zip(expected, values):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{who} must return {names}, and {name} is {_kind(value)}")
    return tuple(values)


def _kind(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"an object of type {type(value).__name__}"


class AttentionCall:
    """An attention under its name, called with the keywords that it takes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.function = _names.load(name)
        self.takes = _describe.attention_keywords(self.function, name)

    def __call__(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, options: dict[str, Any]) -> tuple[Any, Any]:
        returned = self.function(q, k, v, **{key: options[key] for key in self.takes})
        if "return_lse" in self.takes and options["return_lse"]:
            out, lse = _require_tensors(returned, "(out, lse) with return_lse=True", self.name)
            return out, lse
        return _require_tensors(returned, "out", self.name)[0], None


class BackendCall:
    """A backend under its name: its two functions, called with the keywords that they take."""

    def __init__(self, name: str) -> None:
        self.name = name
        backend = _names.load(name)
        self.takes = _describe.backend_keywords(backend, name)
        self._forward, self._backward = backend.forward, backend.backward

    def _said(self, options: dict[str, Any]) -> dict[str, Any]:
        return {key: options[key] for key in self.takes if key in options}

    def forward(self, q: Any, k: Any, v: Any, options: dict[str, Any]) -> tuple[Any, ...]:
        returned = self._forward(q, k, v, **self._said(options))
        return _require_tensors(returned, "(out, lse)", f"{self.name}.forward")

    def backward(self, grad_out: Any, q: Any, k: Any, v: Any, out: Any, lse: Any,
                 options: dict[str, Any]) -> tuple[Any, ...]:
        returned = self._backward(grad_out, q, k, v, out, lse, **self._said(options))
        return _require_tensors(returned, "(dq, dk, dv)", f"{self.name}.backward")
