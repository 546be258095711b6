"""The process groups of a rank, as torch.distributed knows them."""

from __future__ import annotations

import os
from datetime import timedelta

import torch.distributed as dist


class World:
    """The default group is the world of the ranks that were started; a mesh may be a part of it."""

    def enter(self, rank: int, size: int, store: str, seconds: float, network: str) -> None:
        if network == "127.0.0.1":
            os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        self._timeout = timedelta(seconds=seconds)
        self._size = size
        shared = dist.FileStore(store, -1)
        shared.set_timeout(self._timeout)
        dist.init_process_group("gloo", store=shared, rank=rank, world_size=size, timeout=self._timeout)

    def group(self, ranks: list[int]) -> dist.ProcessGroup:
        if ranks == list(range(self._size)):
            return dist.group.WORLD
        return dist.new_group(ranks, timeout=self._timeout, use_local_synchronization=True)
