"""Ring attention in plain torch.distributed, right in forward and backward.

    python -m attncheck check --impl ring:attention --mesh 2x1,3x1,4x1
"""

import torch
import torch.distributed as dist

from local_attention import block_backward, block_forward, merge, pass_on, refuse, visible_keys


class RingAttention(torch.autograd.Function):
    """q (B, Sq, H, D), k (B, Skv, H, D), v (B, Skv, H, Dv), this rank's shards, to out and lse.
    The keys go round: after t steps a rank has those of the rank t places before it."""

    @staticmethod
    def forward(ctx, q, k, v, group, scale, is_causal):
        rank, size = dist.get_rank(group), dist.get_world_size(group)
        ctx.save_for_backward(q, k, v)
        ctx.group, ctx.scale, ctx.is_causal = group, scale, is_causal
        for step in range(size):
            if step > 0:
                k, v = pass_on([k, v], group)
            visible = visible_keys(q, k, rank, (rank - step) % size, is_causal)
            block = block_forward(q, k, v, scale, visible)
            out, lse = merge(out, lse, *block) if step > 0 else block
        out = out.to(q.dtype)
        ctx.out, ctx.lse = out.detach(), lse.detach()
        return out, lse

    @staticmethod
    def backward(ctx, grad_out, grad_lse):
        q, k, v = ctx.saved_tensors
        rank, size = dist.get_rank(ctx.group), dist.get_world_size(ctx.group)
        dq = dk = dv = 0
        for step in range(size):
            if step > 0:  # the sums travel with their keys
                k, v, dk, dv = pass_on([k, v, dk, dv], ctx.group)
            visible = visible_keys(q, k, rank, (rank - step) % size, ctx.is_causal)
            part = block_backward(
                grad_out, q, k, v, ctx.out, ctx.lse, ctx.scale, visible, grad_lse)
            dq, dk, dv = dq + part[0], dk + part[1], dv + part[2]
        if size > 1:  # the last hop takes them home
            dk, dv = pass_on([dk, dv], ctx.group)
        return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), None, None, None


def attention(q, k, v, *, ring_group, scale, is_causal=False, return_lse=False):
    refuse(q.shape[2] != k.shape[2], "ring:attention needs as many key heads as query heads")
    out, lse = RingAttention.apply(q, k, v, ring_group, scale, is_causal)
    return (out, lse) if return_lse else out
