"""Callables by name and by signature. No rank is started."""

import subprocess
import sys

import gathered_attention
import pytest

import attncheck
from attncheck import _describe, _names

KEYWORDS = ("group", "scale", "is_causal")


def keywords(function):
    return _describe.keywords_of(function, "f", "q, k, v", KEYWORDS)


def test_keywords_are_those_that_the_signature_has():
    assert keywords(lambda q, k, v, *, group, scale=1.0: 0) == ["group", "scale"]
    assert keywords(lambda q, k, v, is_causal=False: 0) == ["is_causal"]
    assert keywords(lambda q, k, v, *, own=3: 0) == []


def test_any_keyword_is_every_keyword():
    assert keywords(lambda q, k, v, **rest: 0) == list(KEYWORDS)


def test_an_argument_that_nobody_gives_is_refused_by_name():
    with pytest.raises(attncheck.RequestError, match="'block_size'"):
        keywords(lambda q, k, v, *, block_size: 0)


def test_a_function_of_two_tensors_is_refused():
    with pytest.raises(attncheck.RequestError, match="takes 2 arguments by place"):
        keywords(lambda q, k: 0)


def test_a_name_of_a_function_leads_back_to_it():
    name = _names.name_of(gathered_attention.attention)
    assert name == "gathered_attention:attention"
    assert _names.load(name) is gathered_attention.attention


def test_a_local_function_is_refused():
    def local(q, k, v):
        return q

    for nameless in (local, lambda q, k, v: q):
        with pytest.raises(attncheck.RequestError, match="define it in a module"):
            _names.name_of(nameless)


def test_words_of_the_program_are_no_callables():
    for word in ("ring", "mutant:A10", "model:flux_like", "cudnn_emulated:2.8", "merge:logaddexp"):
        assert not _names.is_callable_name(word)
    for word in ("package.module:attention", "folder/file.py:attention", "module:Class.method"):
        assert _names.is_callable_name(word)


@pytest.mark.parametrize(("name", "said"), [
    ("gathered_attention:nobody", "gathered_attention has no 'nobody'"),
    ("no_such_module:attention", "there is no module 'no_such_module'"),
    ("no/such/file.py:attention", "there is no file 'no/such/file.py'"),
    ("gathered_attention:os", "cannot be called: it is an object of type module"),
])
def test_a_wrong_name_is_one_line_and_exit_2(name, said):
    done = subprocess.run([sys.executable, "-m", "attncheck", "check", "--impl", name], capture_output=True,
                          text=True, timeout=100, cwd=gathered_attention.__file__.rpartition("/")[0])
    assert done.returncode == 2
    assert said in done.stderr
    assert sum(line.startswith("attncheck: ") for line in done.stderr.splitlines()) == 1


def test_a_module_that_fails_on_import_is_one_line_with_its_place_and_exit_2(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("import os\n\nimport no_such_package\n")
    done = subprocess.run([sys.executable, "-m", "attncheck", "check", "--impl", f"{file}:attention"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stderr
    said = f"broken.py cannot be imported: ModuleNotFoundError: No module named 'no_such_package' ({file}:3)"
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
