"""Ulysses attention in plain torch.distributed, right in forward and backward.

    python -m attncheck check --impl ulysses:attention --mesh 1x2,1x4
"""

import torch
import torch.distributed as dist

from local_attention import block_forward, refuse, visible_keys


def trade(x, group, cut, join):
    """Cuts axis `cut` of x into one piece for each rank, joins what comes along axis `join`."""
    size = dist.get_world_size(group)
    pieces = torch.stack(x.chunk(size, dim=cut)).contiguous()
    received = torch.empty_like(pieces)
    dist.all_to_all_single(received, pieces, group=group)
    return torch.cat(received.unbind(0), dim=join)


class Trade(torch.autograd.Function):
    """The exchange and its adjoint, which is the exchange back."""

    @staticmethod
    def forward(ctx, x, group, cut, join):
        ctx.group, ctx.cut, ctx.join = group, cut, join
        return trade(x, group, cut, join)

    @staticmethod
    def backward(ctx, grad):
        return trade(grad, ctx.group, ctx.join, ctx.cut), None, None, None


TOKENS, HEADS = 1, 2


def attention(q, k, v, *, ulysses_group, scale, is_causal=False, return_lse=False):
    """q (B, Sq, H, D), k (B, Skv, H, D), v (B, Skv, H, Dv), this rank's tokens with all heads; in
    between a rank has all tokens of its heads."""
    size = dist.get_world_size(ulysses_group)
    refuse(q.shape[2] != k.shape[2], "ulysses:attention needs as many key heads as query heads")
    refuse(q.shape[2] % size != 0, f"ulysses:attention needs heads that {size} ranks divide")
    q, k, v = (Trade.apply(x, ulysses_group, HEADS, TOKENS) for x in (q, k, v))
    out, lse = block_forward(q, k, v, scale, visible_keys(q, k, 0, 0, is_causal))
    out = Trade.apply(out.to(q.dtype), ulysses_group, TOKENS, HEADS)
    lse = Trade.apply(lse, ulysses_group, TOKENS, HEADS) if return_lse else None
    return (out, lse) if return_lse else out
