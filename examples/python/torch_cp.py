"""PyTorch's experimental context parallelism, torch.distributed.tensor.experimental.

    python -m attncheck check --impl torch_cp:attention --mesh 2x1,3x1

Its scaled_dot_product_attention under `context_parallel` has rings for the flash, efficient and
cuDNN kernels, none of which is a CPU's. `attention` gives the ring itself, that is
`_templated_ring_attention` and its backward, a pair of kernels of our own that runs on CPU and in
float64: plain, causal, load balanced (zigzag), and with keys by all-gather or all-to-all. `public`
is what a user gets on CPU from `context_parallel` itself.
"""

import contextlib
import itertools

import torch
import torch.nn.functional as F
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor.experimental._context_parallel import _attention as library

from local_attention import block_backward, block_forward, refuse, visible_keys

ROTATIONS = {"allgather": library._RotateMethod.ALL_GATHER,
             "alltoall": library._RotateMethod.ALL_TO_ALL}


@contextlib.contextmanager
def options(layout, rotate, dtype):
    """The library's options are one for the process: set for a call, and put back."""
    held = library._cp_options
    kept = (held.enable_load_balance, held.rotate_method, held.convert_to_f32)
    held.enable_load_balance = layout == "zigzag"
    held.rotate_method = ROTATIONS[rotate]
    held.convert_to_f32 = dtype != torch.float64
    try:
        yield
    finally:
        held.enable_load_balance, held.rotate_method, held.convert_to_f32 = kept


def transposed(*tensors):
    return [x.transpose(1, 2) for x in tensors]


def kernel(q, k, v, is_causal, scale):
    """As aten's: (B, H, S, D) to out and lse (B, H, S)."""
    q, k, v = transposed(q, k, v)
    out, lse = block_forward(q, k, v, scale, visible_keys(q, k, 0, 0, is_causal))
    return transposed(out.to(q.dtype), lse)


def kernel_backward(query, key, value, out, logsumexp, is_causal, grad_out, scale):
    grad, q, k, v, out, lse = transposed(grad_out, query, key, value, out, logsumexp)
    seen = visible_keys(q, k, 0, 0, is_causal)
    grads = block_backward(grad, q, k, v, out, lse, scale, seen)
    return transposed(*(x.to(query.dtype) for x in grads))


class TemplatedRing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, group, scale, is_causal, layout, rotate):
        with options(layout, rotate, q.dtype):
            out, lse = library._templated_ring_attention(
                group, 2, kernel, q, k, v, is_causal=is_causal, scale=scale)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.rest = (group, scale, is_causal, layout, rotate)
        ctx.mark_non_differentiable(lse)
        return out, lse

    @staticmethod
    def backward(ctx, grad_out, grad_lse):
        q, k, v, out, lse = ctx.saved_tensors
        group, scale, is_causal, layout, rotate = ctx.rest
        with options(layout, rotate, q.dtype):
            grads = library._templated_ring_attention_backward(
                group, 2, kernel_backward, grad_out, "grad_out", q, k, v, out, lse, is_causal,
                scale=scale)
        return *grads, *itertools.repeat(None, 5)


def attention(q, k, v, *, ring_group, scale, is_causal=False, return_lse=False,
              layout="contiguous", rotate="allgather"):
    refuse(layout not in ("contiguous", "zigzag"), f"it has no {layout} layout")
    refuse(rotate not in ROTATIONS, f"it has no {rotate}")
    refuse(q.shape[2] != k.shape[2], "the kernels given here share no key heads")
    refuse(is_causal and q.shape[1] != k.shape[1], "torch: is_causal requires equal lengths")
    refuse(layout == "zigzag" and not is_causal, "torch: load balancing requires is_causal=True")
    refuse(layout == "zigzag" and q.shape[1] % 2 == 1, "torch halves each shard")
    out, lse = TemplatedRing.apply(
        *transposed(q, k, v), ring_group, scale, is_causal, layout, rotate)
    out, lse = transposed(out, lse)
    return (out, lse) if return_lse else out


def public(q, k, v, *, group, scale, is_causal=False):
    mesh = DeviceMesh.from_group(group, "cpu")
    with options("contiguous", "allgather", q.dtype):
        with library.context_parallel(mesh, buffers=[torch.zeros(q.shape[1] * mesh.size())],
                                      buffer_seq_dims=[0]):
            out = F.scaled_dot_product_attention(*transposed(q, k, v), scale=scale,
                                                 is_causal=is_causal)
    return out.transpose(1, 2)
