"""A5 (mindone PR 1438, gather): an all-gather's backward keeps the rank's own slice, and does not
sum over ranks. It is right where every rank has the same loss, and wrong for the sum of the ranks'
losses: the gradients that the other ranks owe to this rank's keys are lost.

Property: gradients_match_reference (collective_backward_is_its_adjoint of the gather alone).
Smallest case: mesh=2x1 q=2 d=1.
"""

import torch
import torch.distributed as dist

from local_attention import block_forward, refuse

TOKENS = 1


class GatherKeepsItsSlice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.length, ctx.rank = x.shape[TOKENS], dist.get_rank(group)
        pieces = [torch.empty_like(x) for _ in range(dist.get_world_size(group))]
        dist.all_gather(pieces, x.contiguous(), group=group)
        return torch.cat(pieces, dim=TOKENS)

    @staticmethod
    def backward(ctx, grad):
        return grad.narrow(TOKENS, ctx.rank * ctx.length, ctx.length), None


def all_gather(x, *, group):
    return GatherKeepsItsSlice.apply(x, group)


def attention(q, k, v, *, ring_group, scale, return_lse=False):
    refuse(q.shape[2] != k.shape[2], "needs as many key heads as query heads")
    k, v = (all_gather(x, group=ring_group) for x in (k, v))
    out, lse = block_forward(q, k, v, scale)
    return (out.to(q.dtype), lse) if return_lse else out.to(q.dtype)
