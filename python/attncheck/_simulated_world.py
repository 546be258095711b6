"""The process groups of simulated ranks, which are threads: torch.distributed has a world for each of them."""

from __future__ import annotations

import sys
import threading
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d

from . import _core
from ._new_group import new_group

BACKEND = "attncheck_sim"


class _WorldOfThread(threading.local, c10d._World):
    """What torch.distributed knows of groups, for each thread: __init__ runs once in each of them."""

    def __init__(self) -> None:
        c10d._World.__init__(self)
        self.tables: dict[str, Any] = {}
        self.count = 0

    group_count = property(lambda self: self.count, lambda self, count: setattr(self, "count", count))


def _table(name: str) -> property:
    return property(lambda self: self.tables.setdefault(name, {}))


for _name in ("pg_map", "pg_names", "pg_group_ranks", "pg_backend_config", "tags_to_pg", "pg_to_tag"):
    setattr(_WorldOfThread, _name, _table(_name))


def _backend_of(asked: Any, _options: Any) -> Any:
    ranks = asked.global_ranks_in_group or list(range(asked.group_size))
    return _core.simulated_backend(ranks, asked.group_id)


class SimulatedWorld:
    """A rank's default group is its world, of as many threads; it is made once a thread."""

    def __init__(self) -> None:
        c10d._world = _WorldOfThread()
        torch._C._distributed_c10d._set_thread_isolation_mode(True)  # groups by name: functional collectives
        dist.Backend.register_backend(BACKEND, _backend_of, extended_api=True, devices=["cpu"])
        self._of_thread = threading.local()

    def group(self, rank: int, size: int, ranks: list[int]) -> dist.ProcessGroup:
        made = self._of_thread.__dict__
        if not made:
            made["world"] = self._start(rank, size)
        if ranks == list(range(size)):
            return made["world"]
        name = str(ranks)
        if name not in made:
            made[name] = new_group(ranks)
        return made[name]

    @staticmethod
    def _start(rank: int, size: int) -> dist.ProcessGroup:
        hook = sys.excepthook  # init_process_group puts one more around it, each time
        dist.init_process_group(BACKEND, store=dist.HashStore(), rank=rank, world_size=size,
                                timeout=timedelta(minutes=30))
        sys.excepthook = hook
        return dist.group.WORLD
