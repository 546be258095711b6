"""What a rank process runs: python _rank.py '{"path": [...], "implementations": [...], "backends": [...]}'."""

from __future__ import annotations

import json
import os
import sys


def main(request: str) -> int:
    os.environ["ATTNCHECK_RANK_PROCESS"] = "1"
    asked = json.loads(request)
    sys.path[:] = asked["path"]
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    from attncheck._calls import AttentionCall, BackendCall
    from attncheck import _core

    implementations = [AttentionCall(name) for name in asked["implementations"]]
    backends = [BackendCall(name) for name in asked["backends"]]
    if _core.is_mesh():
        from attncheck._simulated_world import SimulatedWorld

        return _core.serve_mesh(implementations, backends, SimulatedWorld())
    from attncheck._world import World

    return _core.serve(implementations, backends, World())


if __name__ == "__main__":
    status = main(sys.argv[1])
    sys.stdout.flush()
    os._exit(status)  # groups are not taken apart: a peer may be gone
