"""A1 (diffusers #12761; yunchang #149): a backward returns one gradient fewer than its forward took
inputs. The engine says so at the first backward, and names both counts.

Property: gradient_count_matches_inputs. Smallest case: mesh=1x1 q=1 d=1.
"""

from local_attention import block_forward, refuse
from ulysses import HEADS, TOKENS, Trade, dist, trade


class OneGradientFewer(Trade):
    """Forward takes x, group, cut and join."""

    @staticmethod
    def backward(ctx, grad):
        return trade(grad, ctx.group, ctx.join, ctx.cut), None, None


def attention(q, k, v, *, ulysses_group, scale, return_lse=False):
    size = dist.get_world_size(ulysses_group)
    refuse(q.shape[2] != k.shape[2] or q.shape[2] % size != 0, "needs heads that the ranks divide")
    q, k, v = (OneGradientFewer.apply(x, ulysses_group, HEADS, TOKENS) for x in (q, k, v))
    out, lse = block_forward(q, k, v, scale)
    out = OneGradientFewer.apply(out.to(q.dtype), ulysses_group, TOKENS, HEADS)
    lse = OneGradientFewer.apply(lse, ulysses_group, TOKENS, HEADS) if return_lse else None
    return (out, lse) if return_lse else out
