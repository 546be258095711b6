"""A10 (diffusers 0.42.1): backward visits the keys of rank r, r + 1, r + 2, ..., and the sums of dk
and dv travel to r + 1 as well. Up to two ranks that is the same place; from three on the sums end
up with the wrong owners. Forward, dq and the sum of dk over the ranks are right.

Property: gradients_match_reference, shard by shard. Smallest case: mesh=3x1 q=3 d=1.
"""

from local_attention import block_backward, pass_on, refuse
from ring import RingAttention, dist


class SumsAgainstTheTour(RingAttention):
    @staticmethod
    def backward(ctx, grad_out, grad_lse):
        q, k, v = ctx.saved_tensors
        dq = dk = dv = 0
        for step in range(dist.get_world_size(ctx.group)):
            if step > 0:
                k, v = pass_on([k, v], ctx.group, towards=-1)
                dk, dv = pass_on([dk, dv], ctx.group)
            part = block_backward(grad_out, q, k, v, ctx.out, ctx.lse, ctx.scale, None, grad_lse)
            dq, dk, dv = dq + part[0], dk + part[1], dv + part[2]
        if dist.get_world_size(ctx.group) > 1:
            dk, dv = pass_on([dk, dv], ctx.group)
        return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), None, None, None


def attention(q, k, v, *, ring_group, scale, return_lse=False):
    refuse(q.shape[2] != k.shape[2], "needs as many key heads as query heads")
    out, lse = SumsAgainstTheTour.apply(q, k, v, ring_group, scale, False)
    return (out, lse) if return_lse else out
