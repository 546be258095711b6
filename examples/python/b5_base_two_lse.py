"""B5 (vLLM #47079, sglang #40903, flashinfer #2113, pytorch #181645): the kernel's lse is a log to
base 2, and the ring merges it as a natural one. The kernel's own out is right, so that one rank
alone is right but for its lse.

Property: lse_is_natural_log. Smallest case: mesh=1x1 q=1 d=1.
"""

import math

from local_attention import block_forward, merge, pass_on, refuse
from ring import RingAttention, dist


def kernel(q, k, v, scale):
    out, lse = block_forward(q, k, v, scale)
    return out, lse / math.log(2)


class BaseTwoLse(RingAttention):
    @staticmethod
    def forward(ctx, q, k, v, group, scale, is_causal):
        ctx.save_for_backward(q, k, v)
        ctx.group, ctx.scale, ctx.is_causal = group, scale, is_causal
        for step in range(dist.get_world_size(group)):
            if step > 0:
                k, v = pass_on([k, v], group)
            block = kernel(q, k, v, scale)
            out, lse = merge(out, lse, *block) if step > 0 else block
        out = out.to(q.dtype)
        ctx.out, ctx.lse = out.detach(), lse.detach()
        return out, lse


def attention(q, k, v, *, ring_group, scale, return_lse=False):
    refuse(q.shape[2] != k.shape[2], "needs as many key heads as query heads")
    out, lse = BaseTwoLse.apply(q, k, v, ring_group, scale, False)
    return (out, lse) if return_lse else out
