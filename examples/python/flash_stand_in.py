"""A CPU stand-in for flash-attn, for libraries that import `flash_attn` and would find none: the
functions that they call, in plain torch, with flash-attn's shapes, dtypes and alignment.

`install()` before the library is imported. As flash-attn 2.7 has it: out in q's dtype, lse
(B, H, S) in float32, gradients written into the buffers that are handed in, causal bottom-right,
key heads shared by groups of query heads.
"""

import importlib.machinery
import sys
import types

import torch

from local_attention import scores_of, weights


def visible(q, k, causal, left, right):
    rows, keys = q.shape[1], k.shape[1]
    ahead = torch.arange(keys)[None, :] - torch.arange(rows)[:, None] - (keys - rows)
    seen = torch.ones(rows, keys, dtype=torch.bool)
    if causal:
        right = 0
    if left >= 0:
        seen &= ahead >= -left
    if right >= 0:
        seen &= ahead <= right
    return seen


def in_float32(q, k, v):
    groups = q.shape[2] // k.shape[2]
    return q.float(), *(x.float().repeat_interleave(groups, dim=2) for x in (k, v))


def _flash_attn_forward(q, k, v, dropout_p, softmax_scale, causal, window_size_left=-1,
                        window_size_right=-1, softcap=0.0, alibi_slopes=None, return_softmax=False):
    if dropout_p > 0 or softcap > 0 or alibi_slopes is not None:
        raise NotImplementedError("the stand-in has no dropout, softcap or alibi")
    seen = visible(q, k, causal, window_size_left, window_size_right)
    wide_q, wide_k, wide_v = in_float32(q, k, v)
    scores = scores_of(wide_q, wide_k, softmax_scale, seen)
    lse = scores.logsumexp(-1)
    out = torch.einsum("bqhk,bkhd->bqhd", weights(scores, lse.unsqueeze(-1)), wide_v)
    return out.to(q.dtype), lse.transpose(1, 2).contiguous(), None, None


def _flash_attn_backward(dout, q, k, v, out, softmax_lse, dq, dk, dv, dropout_p, softmax_scale,
                         causal, window_size_left=-1, window_size_right=-1, softcap=0.0,
                         alibi_slopes=None, deterministic=False, rng_state=None):
    seen = visible(q, k, causal, window_size_left, window_size_right)
    wide_q, wide_k, wide_v = in_float32(q, k, v)
    grad = dout.float()
    lse = softmax_lse.transpose(1, 2).float().unsqueeze(-1)
    p = weights(scores_of(wide_q, wide_k, softmax_scale, seen), lse)
    delta = (grad * out.float()).sum(-1, keepdim=True)
    ds = p * (torch.einsum("bqhd,bkhd->bqhk", grad, wide_v) - delta) * softmax_scale
    dq.copy_(torch.einsum("bqhk,bkhd->bqhd", ds, wide_k))
    for into, terms, of in ((dk, ds, wide_q), (dv, p, grad)):
        of_heads = torch.einsum("bqhk,bqhd->bkhd", terms, of)
        into.copy_(of_heads.unflatten(2, (k.shape[2], -1)).sum(3))
    return delta


class FlashAttention(torch.autograd.Function):
    """`flash_attn_func`: the pair above as one differentiable function."""

    @staticmethod
    def forward(ctx, q, k, v, scale, causal, window):
        out, lse, _, _ = _flash_attn_forward(q, k, v, 0.0, scale, causal, *window)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.rest = (scale, causal, *window)
        return out

    @staticmethod
    def backward(ctx, dout):
        q, k, v, *_ = ctx.saved_tensors
        grads = [torch.empty_like(x) for x in (q, k, v)]
        _flash_attn_backward(dout, *ctx.saved_tensors, *grads, 0.0, *ctx.rest)
        return *grads, None, None, None


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1),
                    softcap=0.0, alibi_slopes=None, deterministic=False, return_attn_probs=False):
    scale = q.shape[-1] ** -0.5 if softmax_scale is None else softmax_scale
    return FlashAttention.apply(q, k, v, scale, causal, window_size)


def install():
    package = types.ModuleType("flash_attn")
    # Others ask importlib whether there is a flash_attn, and a module without a spec is an error.
    package.__spec__ = importlib.machinery.ModuleSpec("flash_attn", None)
    package.__version__ = "2.7.4"
    package.flash_attn_func = flash_attn_func
    package.flash_attn_interface = types.ModuleType("flash_attn.flash_attn_interface")
    names = ("_flash_attn_forward", "_flash_attn_backward", "flash_attn_func")
    for name in names:
        setattr(package.flash_attn_interface, name, globals()[name])
    # Those of packed sequences are imported with the library, and not reached by the adapters.
    for name in ("_flash_attn_varlen_forward", "_flash_attn_varlen_backward"):
        setattr(package.flash_attn_interface, name, None)
    sys.modules["flash_attn"] = package
    sys.modules["flash_attn.flash_attn_interface"] = package.flash_attn_interface
