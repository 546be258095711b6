"""A9 (diffusers #14265, PR 14274): the ring's backward uses the first step's keys in every step.
Forward is exact, and nothing is raised.

Property: gradients_match_reference. Smallest case: mesh=2x1 q=2 d=1.
"""

from local_attention import block_backward, pass_on, refuse
from ring import RingAttention, dist


class FirstKeysInEveryStep(RingAttention):
    @staticmethod
    def backward(ctx, grad_out, grad_lse):
        q, first_k, v = ctx.saved_tensors
        dq = dk = dv = 0
        for step in range(dist.get_world_size(ctx.group)):
            if step > 0:
                v, dk, dv = pass_on([v, dk, dv], ctx.group)
            part = block_backward(
                grad_out, q, first_k, v, ctx.out, ctx.lse, ctx.scale, None, grad_lse)
            dq, dk, dv = dq + part[0], dk + part[1], dv + part[2]
        if dist.get_world_size(ctx.group) > 1:
            dk, dv = pass_on([dk, dv], ctx.group)
        return dq.to(q.dtype), dk.to(q.dtype), dv.to(v.dtype), None, None, None


def attention(q, k, v, *, ring_group, scale, return_lse=False):
    refuse(q.shape[2] != k.shape[2], "needs as many key heads as query heads")
    out, lse = FirstKeysInEveryStep.apply(q, k, v, ring_group, scale, False)
    return (out, lse) if return_lse else out
