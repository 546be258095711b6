"""What a callable takes, read from its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ._protocol import BACKWARD_KEYWORDS, FORWARD_KEYWORDS, KEYWORDS, RequestError

Parameter = inspect.Parameter


def keywords_of(function: Callable[..., Any], name: str, positional: str, known: Sequence[str]) -> list[str]:
    """The known keywords that a function takes behind so many positional arguments ("q, k, v")."""
    if not callable(function):
        raise RequestError(f"{name} cannot be called: it is an object of type {type(function).__name__}")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise RequestError(f"{name} has no signature to read: wrap it in a Python function") from None
    count = len(positional.split(","))
    by_place = [p for p in parameters if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    if len(by_place) < count and not any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
        raise RequestError(f"{name} must take ({positional}, ...), and takes {len(by_place)} arguments by place")
    rest = [p for p in parameters if p not in by_place[:count]]
    for p in rest:
        named = p.kind in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        if named and p.default is Parameter.empty and p.name not in known:
            raise RequestError(f"{name} needs an argument '{p.name}', which attncheck does not give: "
                               "give it a default")
    if any(p.kind is Parameter.VAR_KEYWORD for p in rest):
        return list(known)
    return [k for k in known if k in {p.name for p in rest}]


def attention_keywords(function: Callable[..., Any], name: str) -> list[str]:
    takes = keywords_of(function, name, "q, k, v", KEYWORDS)
    if "joint_place" not in takes and "joint_tokens" in takes:
        takes.remove("joint_tokens")
    return takes


def backend_keywords(backend: Any, name: str) -> list[str]:
    """Those of both functions; and what backward alone takes."""
    for part in ("forward", "backward"):
        if not hasattr(backend, part):
            raise RequestError(f"{name} is no backend: it has no '{part}'")
    forward = keywords_of(backend.forward, f"{name}.forward", "q, k, v", FORWARD_KEYWORDS)
    backward = keywords_of(backend.backward, f"{name}.backward", "grad_out, q, k, v, out, lse", BACKWARD_KEYWORDS)
    return [k for k in backward if k in forward or k == "grad_lse"]
