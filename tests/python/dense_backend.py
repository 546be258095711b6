"""A backend in plain torch: forward and backward of attention on one rank's block, right and wrong."""

import torch

import attncheck


def scores_of(q, k, scale, is_causal, mask):
    """(B, H, Sq, Skv), -inf where hidden."""
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[2:], dtype=torch.bool).triu(1), float("-inf"))
    if mask is None:
        return scores
    return scores.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else scores + mask


def one_to_one(q, k):
    if q.shape[2] != k.shape[2]:
        raise attncheck.Unsupported("as many key heads as query heads")


class Dense:
    @staticmethod
    def forward(q, k, v, *, scale, is_causal, mask=None):
        one_to_one(q, k)
        scores = scores_of(q, k, scale, is_causal, mask)
        lse = scores.logsumexp(-1)
        p = (scores - lse.masked_fill(lse.isneginf(), 0).unsqueeze(-1)).exp()
        return torch.einsum("bhqk,bkhd->bqhd", p, v), lse.transpose(1, 2)

    @classmethod
    def backward(cls, grad_out, q, k, v, out, lse, *, scale, is_causal, mask=None):
        scores = scores_of(q, k, scale, is_causal, mask)
        rows = lse.transpose(1, 2).unsqueeze(-1)
        p = (scores - rows.masked_fill(rows.isneginf(), 0)).exp()
        delta = (grad_out * out).sum(-1).transpose(1, 2).unsqueeze(-1)
        ds = p * (torch.einsum("bqhd,bkhd->bhqk", grad_out, v) - delta) * scale
        dq, dk = torch.einsum("bhqk,bkhd->bqhd", ds, k), torch.einsum("bhqk,bqhd->bkhd", ds, q)
        return dq, dk, torch.einsum("bhqk,bqhd->bkhd", p, grad_out)


class WithoutScale(Dense):
    """Its dq lacks the scale."""

    @classmethod
    def backward(cls, grad_out, q, k, v, out, lse, *, scale, is_causal, mask=None):
        dq, dk, dv = super().backward(grad_out, q, k, v, out, lse, scale=scale, is_causal=is_causal, mask=mask)
        return dq / scale, dk, dv
