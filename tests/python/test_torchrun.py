"""Callables are checked by the ranks that torchrun starts."""

import os
import subprocess
import sys

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "python")


def torchrun(*words):
    """Of three processes, of which the first one speaks."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "3", "-m", "attncheck"]
    return subprocess.run([*command, *words], capture_output=True, text=True, timeout=400, cwd=EXAMPLES)


CHECK = ["check", "--transport", "gloo", "--dtype", "f64", "--cases", "6", "--seed", "1", "--corpus", "none", "--quiet"]
CHECK += ["--property", "gradients_match_reference"]


def test_a_ring_holds_on_the_launched_mesh():
    done = torchrun(*CHECK, "--impl", "ring:attention", "--mesh", "3x1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ring:attention") == 1
    assert "6 cases, 6 runs" in done.stdout


def test_a_faulty_ring_fails_there():
    done = torchrun(*CHECK, "--impl", "a10_sums_against_the_tour:attention", "--mesh", "3x1")
    assert done.returncode == 1
    assert "FAILED gradients_match_reference" in done.stdout
    assert "replay 'impl=a10_sums_against_the_tour:attention transport=gloo mesh=3x1 " in done.stdout


def test_a_mesh_of_another_size_is_refused():
    done = torchrun(*CHECK, "--impl", "ring:attention", "--mesh", "2x1")
    assert done.returncode != 0
    assert "mesh 2x1 has 2 ranks, and torchrun started 3" in done.stderr
