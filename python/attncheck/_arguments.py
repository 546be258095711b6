"""The words of a command line, as far as the Python front looks at them."""

from __future__ import annotations

import os
import re

from . import _names

WITH_CALLABLES = ("check", "replay", "explain", "promote", "bench", "list")
"""The commands that have the flag --callables."""


def values_of(words: list[str], flag: str) -> list[str]:
    """What a list flag was given, wherever it stands: --impl a,b or --impl=a,b."""
    values: list[str] = []
    for place, word in enumerate(words):
        given = None
        if word == flag and place + 1 < len(words):
            given = words[place + 1]
        elif word.startswith(flag + "="):
            given = word[len(flag) + 1:]
        if given is not None:
            values += [value for value in given.split(",") if value]
    return values


def _texts(words: list[str]) -> str:
    """The words, and what the files of cases among them hold."""
    texts = list(words)
    for word in words:
        folder = [os.path.join(word, name) for name in os.listdir(word)] if os.path.isdir(word) else [word]
        for path in folder:
            if os.path.isfile(path) and os.path.getsize(path) < 1 << 20:
                with open(path, encoding="utf-8", errors="replace") as file:
                    texts.append(file.read())
    return "\n".join(texts)


def callables_in(words: list[str]) -> tuple[list[str], list[str]]:
    """The Python implementations and backends that a command names, by flags or in the text of a case."""
    if words[0] not in WITH_CALLABLES:
        return [], []
    if words[0] in ("check", "list", "bench"):
        impls, backends = values_of(words, "--impl"), values_of(words, "--backend")
    else:
        text = _texts(words[1:])
        impls = re.findall(r"\bimpl=(\S+)", text)
        backends = re.findall(r"\bbackend=(\S+)", text)
    chosen = [[n for n in dict.fromkeys(names) if _names.is_callable_name(n)] for names in (impls, backends)]
    return chosen[0], chosen[1]


def with_defaults(words: list[str], backends: list[str]) -> list[str]:
    """A check of callables runs over Gloo, in one lane: its ranks are processes and fill the cores. Those of sim fill one."""
    def given(flag: str) -> bool:
        return any(word == flag or word.startswith(flag + "=") for word in words)

    added: list[str] = []
    if not given("--transport"):
        added += ["--transport", "gloo"]
    if not given("--lanes") and values_of(words, "--transport") != ["sim"]:
        added += ["--lanes", "1"]
    if backends and not given("--impl"):
        added += ["--impl", "local,ring"]
    if backends and not given("--mesh"):
        added += ["--mesh", "1x1,2x1,3x1"]
    return words + added
