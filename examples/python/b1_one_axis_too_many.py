"""B1 (diffusers PR 12693): lse is given a trailing axis, for the merge, although the kernel already
returns one. The merge broadcasts over what is there; the one axis that is taken away at the end
leaves the caller an lse of (B, S, H, 1). out and the gradients are right.

Property: lse_has_declared_shape. Smallest case: mesh=1x1 q=1 d=1.
"""

import torch

from local_attention import block_forward, pass_on, refuse, weights
from ring import RingAttention, dist


def kernel(q, k, v, scale):
    out, lse = block_forward(q, k, v, scale)
    return out.unsqueeze(-2), lse.unsqueeze(-1)


class OneAxisTooMany(RingAttention):
    @staticmethod
    def forward(ctx, q, k, v, group, scale, is_causal):
        ctx.save_for_backward(q, k, v)
        ctx.group, ctx.scale, ctx.is_causal = group, scale, is_causal
        for step in range(dist.get_world_size(group)):
            if step > 0:
                k, v = pass_on([k, v], group)
            block_out, block_lse = kernel(q, k, v, scale)
            block_lse = block_lse.unsqueeze(-1)  # as if it were (B, S, H)
            if step > 0:
                total = torch.logaddexp(lse, block_lse)
                out = weights(lse, total) * out + weights(block_lse, total) * block_out
                lse = total
            else:
                out, lse = block_out, block_lse
        out = out.squeeze(-2).to(q.dtype)
        ctx.out, ctx.lse = out.detach(), lse.detach().reshape(q.shape[:3])
        return out, lse.squeeze(-1)

    @staticmethod
    def backward(ctx, grad_out, grad_lse):
        return RingAttention.backward(ctx, grad_out, grad_lse.squeeze(-1))


def attention(q, k, v, *, ring_group, scale, return_lse=False):
    refuse(q.shape[2] != k.shape[2], "needs as many key heads as query heads")
    out, lse = OneAxisTooMany.apply(q, k, v, ring_group, scale, False)
    return (out, lse) if return_lse else out
