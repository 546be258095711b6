"""What one rank does with one block of keys. Everything here is plain torch, in the wider of the
input's dtype and float32; tensors are (B, S, H, D), an lse is (B, S, H), natural log."""

import torch
import torch.distributed as dist

try:
    from attncheck import Unsupported
except ImportError:  # by_hand.py needs no attncheck

    class Unsupported(Exception):
        pass


def refuse(condition, why):
    if condition:
        raise Unsupported(why)


def wider(dtype):
    return torch.promote_types(dtype, torch.float32)


def weights(scores, lse):
    """exp(scores - lse), 0 where a row has no key and its lse is -inf."""
    return torch.exp(scores - lse.masked_fill(lse == -torch.inf, 0.0))


def scores_of(q, k, scale, visible):
    """(B, Sq, H, Skv); visible is (Sq, Skv), True where a query sees a key, or None."""
    scores = torch.einsum("bqhd,bkhd->bqhk", q, k) * scale
    return scores if visible is None else scores.masked_fill(~visible[:, None, :], -torch.inf)


def block_forward(q, k, v, scale, visible=None):
    """out (B, Sq, H, Dv) and lse (B, Sq, H) of the queries over these keys alone."""
    q, k, v = (x.to(wider(x.dtype)) for x in (q, k, v))
    scores = scores_of(q, k, scale, visible)
    lse = scores.logsumexp(-1)
    return torch.einsum("bqhk,bkhd->bqhd", weights(scores, lse.unsqueeze(-1)), v), lse


def block_backward(grad_out, q, k, v, out, lse, scale, visible=None, grad_lse=None):
    """dq, dk, dv that come from these keys; out and lse are those over ALL keys."""
    grad_out, q, k, v, out = (x.to(lse.dtype) for x in (grad_out, q, k, v, out))
    p = weights(scores_of(q, k, scale, visible), lse.unsqueeze(-1))
    delta = (grad_out * out).sum(-1, keepdim=True)
    if grad_lse is not None:
        delta = delta - grad_lse.unsqueeze(-1)
    ds = p * (torch.einsum("bqhd,bkhd->bqhk", grad_out, v) - delta) * scale
    return (
        torch.einsum("bqhk,bkhd->bqhd", ds, k),
        torch.einsum("bqhk,bqhd->bkhd", ds, q),
        torch.einsum("bqhk,bqhd->bkhd", p, grad_out),
    )


def merge(out, lse, block_out, block_lse):
    """Two partial results over different keys, as one."""
    total = torch.logaddexp(lse, block_lse)
    shares = (weights(x, total).unsqueeze(-1) for x in (lse, block_lse))
    return sum(share * part for share, part in zip(shares, (out, block_out))), total


def visible_keys(q, k, q_shard, k_shard, is_causal):
    """Which keys of one shard the queries of another see, by their places in the whole sequence."""
    if not is_causal:
        return None
    queries = q_shard * q.shape[1] + torch.arange(q.shape[1])
    keys = k_shard * k.shape[1] + torch.arange(k.shape[1])
    return queries[:, None] >= keys[None, :]


def pass_on(tensors, group, towards=1):
    """Sends to the rank that is `towards` further round the ring; what its counterpart sent."""
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    to, source = (dist.get_global_rank(group, (rank + d) % size) for d in (towards, -towards))
    tensors = [x.contiguous() for x in tensors]
    received = [torch.empty_like(x) for x in tensors]
    sends = [dist.P2POp(dist.isend, x, to, group) for x in tensors]
    receives = [dist.P2POp(dist.irecv, x, source, group) for x in received]
    for work in dist.batch_isend_irecv(sends + receives):
        work.wait()
    return received
