"""New groups of some ranks of the world, where not every rank has made as many of them."""

from __future__ import annotations

from typing import Any
from unittest import mock

import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d


def _name(ranks: list[int]) -> str:
    return "attncheck_" + "_".join(map(str, ranks))


def new_group(ranks: list[int], **options: Any) -> dist.ProcessGroup:
    """Called by the members alone, once for these ranks in a world.

    Before 2.15 torch hashes how many groups a rank has into the name, by which the members find each other; a rank that had
    no part in a former mesh has fewer.
    """
    with mock.patch.object(c10d, "_hash_ranks_to_str", _name):
        return dist.new_group(ranks, use_local_synchronization=True, **options)
