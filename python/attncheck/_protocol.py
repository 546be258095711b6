"""What attncheck may say to a callable, and what a callable may say to attncheck."""

from __future__ import annotations

KEYWORDS = (
    "group",
    "ring_group",
    "ulysses_group",
    "scale",
    "is_causal",
    "align",
    "return_lse",
    "layout",
    "shards",
    "mask",
    "mask_axes",
    "window",
    "documents",
    "joint_tokens",
    "joint_place",
    "rotate",
    "convert_to_fp32",
    "backend",
    "q_len",
    "kv_len",
)
"""Keywords of an attention; it is asked for what the ones that it takes can say."""

FORWARD_KEYWORDS = ("scale", "is_causal", "diagonal", "mask")
BACKWARD_KEYWORDS = ("scale", "is_causal", "diagonal", "mask", "grad_lse")
"""Keywords of the two functions of a backend."""


class Unsupported(Exception):
    """Raised by a callable for a case that it does not do, on every rank and before it communicates.

    The case is then no failure: another one is drawn, and the report says how many were refused.
    """


class RequestError(ValueError):
    """The request is wrong: the message is one line that says what would be right."""
