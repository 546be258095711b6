"""The process groups of a rank, as torch.distributed knows them."""

from __future__ import annotations

import os
from datetime import timedelta

import torch.distributed as dist

from ._new_group import new_group


class World:
    """The default group is the world of the ranks that were started; a mesh may be a part of it."""

    def enter(self, rank: int, size: int, store: dist.Store, seconds: float, network: str) -> None:
        if network == "127.0.0.1":
            os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        self._rank, self._size = rank, size
        self._timeout = timedelta(seconds=seconds)
        self._store = store
        self._former: list[dist.ProcessGroup] = []
        self._generation = 0
        self._start()

    def _start(self) -> None:
        store = dist.PrefixStore(f"world{self._generation}", self._store)
        dist.init_process_group("gloo", store=store, rank=self._rank, world_size=self._size, timeout=self._timeout)
        self._made = [dist.group.WORLD]

    def renew(self) -> None:
        """After an exchange that was left unfinished: what is still under way in the former groups stays there."""
        self._former += self._made  # a group that waits for a peer would wait in its destructor
        dist.destroy_process_group()
        self._generation += 1
        self._start()

    def group(self, ranks: list[int]) -> dist.ProcessGroup:
        if ranks == list(range(self._size)):
            return dist.group.WORLD
        self._made.append(new_group(ranks, timeout=self._timeout))
        return self._made[-1]
