"""Attention over gathered keys and values, in plain torch: right, and wrong in known ways."""

import os
import threading
import time

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as funcol

import attncheck


class Gathered(torch.autograd.Function):
    """The shards (B, S_local, H, D) of all ranks, one after another; gradients go home, summed."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        parts = [torch.empty_like(x, memory_format=torch.contiguous_format) for _ in range(group.size())]
        dist.all_gather(parts, x.contiguous(), group=group)
        return torch.cat(parts, 1)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.contiguous()
        dist.all_reduce(grad, group=ctx.group)
        length = grad.shape[1] // ctx.group.size()
        return grad.narrow(1, dist.get_rank(ctx.group) * length, length), None


def dense(q, k, v, scale, first_row=0, is_causal=False):
    """out (B, Sq, H, Dv) and lse (B, Sq, H) of queries from that row on."""
    groups = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(groups, 2), v.repeat_interleave(groups, 2)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if is_causal:
        rows = torch.arange(q.shape[1]) + first_row
        hidden = torch.arange(k.shape[1]).unsqueeze(0) > rows.unsqueeze(1)
        scores = scores.masked_fill(hidden, float("-inf"))
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    out = torch.einsum("bhqk,bkhd->bqhd", wide.softmax(-1).to(v.dtype), v)
    return out, wide.logsumexp(-1).transpose(1, 2)


def attention(q, k, v, *, group, scale, is_causal, return_lse):
    first_row = dist.get_rank(group) * q.shape[1]
    out, lse = dense(q, Gathered.apply(k, group), Gathered.apply(v, group), scale, first_row, is_causal)
    return (out, lse) if return_lse else out


def over_both_groups(q, k, v, *, ring_group, ulysses_group, scale):
    k, v = (Gathered.apply(Gathered.apply(x, ulysses_group), ring_group) for x in (k, v))
    return dense(q, k, v, scale)[0]


def even_heads(q, k, v, *, group, scale):
    """Does an even number of heads alone, and says so."""
    if q.shape[2] % 2 != 0:
        raise attncheck.Unsupported("an even number of heads, please")
    return dense(q, Gathered.apply(k, group), Gathered.apply(v, group), scale)[0]


def nothing(q, k, v, *, group):
    raise attncheck.Unsupported("it is not written yet")


def doubles_out(q, k, v, *, group):
    return 2 * dense(q, Gathered.apply(k, group), Gathered.apply(v, group), q.shape[3] ** -0.5)[0]


def raises_on_one_rank(q, k, v, *, group):
    if dist.get_rank(group) == 1:
        raise ValueError("this rank does not want to")
    return dense(q, Gathered.apply(k, group), Gathered.apply(v, group), q.shape[3] ** -0.5)[0]


class RaisesInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if dist.get_rank(ctx.group) == 1:
            raise ValueError("no gradient from this rank")
        return grad, None


def raises_in_backward_on_one_rank(q, k, v, *, group):
    out = dense(q, Gathered.apply(k, group), Gathered.apply(v, group), q.shape[3] ** -0.5)[0]
    return RaisesInBackward.apply(out, group)


def refuses_on_one_rank(q, k, v, *, group):
    if dist.get_rank(group) == 1:
        raise attncheck.Unsupported("this rank does not do it")
    return dense(q, Gathered.apply(k, group), Gathered.apply(v, group), q.shape[3] ** -0.5)[0]


def returns_three(q, k, v, *, group, return_lse):
    return q, q, q


def never_returns(q, k, v, *, group):
    while True:
        time.sleep(1)


def kills_its_process(q, k, v, *, group):
    if dist.get_rank(group) == 0:
        os._exit(7)
    return q


def grouped(q, k, v, *, ring_group, scale):
    """Over a group of its own with the ranks of its ring."""
    ranks = dist.get_process_group_ranks(ring_group)
    own = GROUPS.__dict__.setdefault("made", {})
    key = (tuple(ranks), id(ring_group))
    if key not in own:
        own[key] = dist.new_group(ranks, use_local_synchronization=True)
    return dense(q, Gathered.apply(k, own[key]), Gathered.apply(v, own[key]), scale)[0]


GROUPS = threading.local()


def polling(q, k, v, *, group, scale):
    """Asks whether its exchanges are over, and does not wait for them before."""
    def gathered(x):
        parts = [torch.empty_like(x, memory_format=torch.contiguous_format) for _ in range(group.size())]
        work = dist.all_gather(parts, x.contiguous(), group=group, async_op=True)
        while not work.is_completed():
            pass
        work.wait()
        parts[dist.get_rank(group)] = x
        return torch.cat(parts, 1)

    return dense(q, gathered(k), gathered(v), scale)[0]


class GatheredByName(torch.autograd.Function):
    """As Gathered, by functional collectives, which look a group up by its name."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return funcol.wait_tensor(funcol.all_gather_tensor(x.contiguous(), 1, group))

    @staticmethod
    def backward(ctx, grad):
        return funcol.wait_tensor(funcol.reduce_scatter_tensor(grad.contiguous(), "sum", 1, ctx.group)), None


def functional(q, k, v, *, group, scale):
    return dense(q, GatheredByName.apply(k, group), GatheredByName.apply(v, group), scale)[0]


class NoBackwardForOddHeads(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.heads = x.shape[2]
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if ctx.heads % 2:
            raise ValueError("an odd number of heads")
        return grad


def no_backward_for_odd_heads(q, k, v, *, group, scale):
    return NoBackwardForOddHeads.apply(dense(q, Gathered.apply(k, group), Gathered.apply(v, group), scale)[0])


def drops_a_work(q, k, v, *, group, scale):
    out = dense(q, Gathered.apply(k, group), Gathered.apply(v, group), scale)[0]
    dist.all_reduce(torch.ones(1), group=group, async_op=True)
    return out
