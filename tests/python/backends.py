"""Backends that are told of hidden keys in one way alone, or take the cotangent of lse."""

import torch
from dense_backend import Dense, scores_of


class BySquares:
    """Takes `is_causal` alone: keys are hidden in square blocks only."""

    @staticmethod
    def forward(q, k, v, *, scale, is_causal):
        return Dense.forward(q, k, v, scale=scale, is_causal=is_causal)

    @staticmethod
    def backward(grad_out, q, k, v, out, lse, *, scale, is_causal):
        return Dense.backward(grad_out, q, k, v, out, lse, scale=scale, is_causal=is_causal)


def below(q, k, diagonal):
    """None, or (1, 1, Sq, Skv): the keys that a query sees."""
    if diagonal is None:
        return None
    rows = torch.arange(q.shape[1]).unsqueeze(1) + diagonal
    return (torch.arange(k.shape[1]).unsqueeze(0) <= rows)[None, None]


class ByDiagonal:
    """Takes `diagonal`, and the cotangent of lse, which it adds to the gradient of the scores."""

    @staticmethod
    def forward(q, k, v, *, scale, diagonal):
        return Dense.forward(q, k, v, scale=scale, is_causal=False, mask=below(q, k, diagonal))

    @staticmethod
    def backward(grad_out, q, k, v, out, lse, *, scale, diagonal, grad_lse):
        mask = below(q, k, diagonal)
        dq, dk, dv = Dense.backward(grad_out, q, k, v, out, lse, scale=scale, is_causal=False, mask=mask)
        if grad_lse is None:
            return dq, dk, dv
        rows = lse.transpose(1, 2).unsqueeze(-1)
        p = (scores_of(q, k, scale, False, mask) - rows.masked_fill(rows.isneginf(), 0)).exp()
        ds = p * grad_lse.transpose(1, 2).unsqueeze(-1) * scale
        return (dq + torch.einsum("bhqk,bkhd->bqhd", ds, k), dk + torch.einsum("bhqk,bqhd->bkhd", ds, q), dv)
