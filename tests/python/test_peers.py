"""Callables are timed beside the built-in methods, on the same ranks."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def bench(*words):
    return subprocess.run([sys.executable, "-m", "attncheck", "bench", "peers", "--quiet", *words],
                          capture_output=True, text=True, timeout=300, cwd=HERE)


def test_a_callable_has_rows_beside_the_built_in_methods(tmp_path):
    path = tmp_path / "peers.json"
    done = bench("--impl", "gathered_attention:attention", "--world", "2", "--scale", "0.004", "--dtype", "f32",
                 "--repetitions", "2", "--json", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(path.read_text())
    assert report["bench"] == "peers"
    assert report["packages"]["torch"].startswith(report["libtorch"])
    [shape] = report["shapes"]
    timed = [line for line in done.stdout.splitlines() if "not timed" not in line]
    assert [line for line in timed if len(line) > 100] == []
    rows = {(row["impl"], row["mesh"]): row for row in shape["passes"] if "forward" in row}
    assert {("local", "1x1"), ("ring", "2x1"), ("ulysses", "1x2"), ("gathered_attention:attention", "2x1")} <= set(rows)
    for row in rows.values():
        for direction in ("forward", "backward"):
            assert 0 < row[direction]["seconds"]["low"] <= row[direction]["seconds"]["median"]


def test_a_name_that_is_nobodys_is_refused():
    done = bench("--impl", "gathered_attention:no_such")
    assert done.returncode == 2
    assert "no_such" in done.stderr
