"""diffusers' context parallel attention: `_templated_context_parallel_attention` of
diffusers.models.attention_dispatch, ring, Ulysses and both.

    python -m attncheck check --impl diffusers_cp:attention --mesh 2x1,3x1,1x2,2x2

`attention` gives the library a forward and backward pair of our own, so that it runs on CPU and in
float64. `any_lengths` does not refuse q_len != kv_len under Ulysses, where the library has no
backward. `attention_defaults` leaves convert_to_fp32=True as the library has it. `native`
goes in by the public door, `dispatch_attention_fn`, with the library's own backend for CPU.
`anything` asks for ulysses_anything and ring_anything, which the library has in forward alone.
"""

import functools

import torch
import torch.distributed as dist
from diffusers.models import attention_dispatch as diffusers
from diffusers.models._modeling_parallel import ContextParallelConfig, ParallelConfig
from torch.distributed.device_mesh import DeviceMesh

from local_attention import block_backward, block_forward, refuse


def forward_op(ctx, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
               enable_gqa=False, return_lse=False, _save_ctx=True, _parallel_config=None):
    out, lse = block_forward(query, key, value, scale)
    out = out.to(query.dtype)
    if _save_ctx:
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.scale = scale
    return (out, lse) if return_lse else out


def backward_op(ctx, grad_out, *args, query=None, key=None, value=None, out=None, lse=None, **_):
    given = (query, key, value, out, lse)
    q, k, v, out, lse = (s if g is None else g for g, s in zip(given, ctx.saved_tensors))
    grads = block_backward(grad_out, q, k, v, out, lse.to(out.dtype), ctx.scale)
    return tuple(x.to(grad_out.dtype) for x in grads)


@functools.lru_cache(maxsize=16)
def parallel_config(ring_group, ulysses_group, convert_to_fp32, anything=False):
    """What ContextParallelConfig.setup() fills in, with the groups that we are given."""
    ring, ulysses = dist.get_world_size(ring_group), dist.get_world_size(ulysses_group)
    refuse(ring == ulysses == 1, "diffusers refuses a mesh of one rank")
    config = ContextParallelConfig(
        ring_degree=ring, ulysses_degree=ulysses, convert_to_fp32=convert_to_fp32,
        ring_anything=anything and ring > 1, ulysses_anything=anything and ulysses > 1)
    config._ring_mesh = DeviceMesh.from_group(ring_group, "cpu")
    config._ulysses_mesh = DeviceMesh.from_group(ulysses_group, "cpu")
    config._ring_local_rank = dist.get_rank(ring_group)
    config._ulysses_local_rank = dist.get_rank(ulysses_group)
    return ParallelConfig(context_parallel_config=config)


def templated(q, k, v, scale, return_lse, config):
    return diffusers._templated_context_parallel_attention(
        q, k, v, None, 0.0, False, scale, False, return_lse,
        forward_op=forward_op, backward_op=backward_op, _parallel_config=config)


def refuse_what_it_refuses(q, k, v, ulysses_group):
    ulysses = dist.get_world_size(ulysses_group)
    refuse(q.shape[2] != k.shape[2], "diffusers: GQA is not yet supported")
    refuse(q.shape[3] != v.shape[3], "diffusers takes one head_dim for q, k and v")
    refuse(q.shape[2] % ulysses != 0, f"diffusers cuts heads into {ulysses} equal parts")


def attention_defaults(q, k, v, *, ring_group, ulysses_group, scale, return_lse=False):
    refuse_what_it_refuses(q, k, v, ulysses_group)
    return templated(q, k, v, scale, return_lse, parallel_config(ring_group, ulysses_group, True))


def any_lengths(q, k, v, *, ring_group, ulysses_group, scale, return_lse=False):
    """Its accumulators follow the dtype, which is what float64 needs: convert_to_fp32=False."""
    refuse_what_it_refuses(q, k, v, ulysses_group)
    return templated(q, k, v, scale, return_lse, parallel_config(ring_group, ulysses_group, False))


def attention(q, k, v, *, ring_group, ulysses_group, scale, return_lse=False):
    """Without what its Ulysses has no backward for."""
    alone = dist.get_world_size(ring_group) == 1
    refuse(alone and q.shape[1] != k.shape[1], "diffusers' Ulysses cuts dk and dv as it cuts q")
    return any_lengths(q, k, v, ring_group=ring_group, ulysses_group=ulysses_group, scale=scale,
                       return_lse=return_lse)


def sizes_of_ranks(size, group):
    """The library's own asks for a GPU unless the backend of the group is called cpu:gloo."""
    sizes = [torch.empty(1, dtype=torch.int64) for _ in range(dist.get_world_size(group))]
    dist.all_gather(sizes, torch.tensor([size]), group=group)
    return [int(x) for x in sizes]


def anything(q, k, v, *, ring_group, ulysses_group, scale, return_lse=False):
    both = min(dist.get_world_size(g) for g in (ring_group, ulysses_group)) > 1
    refuse(both, "diffusers has ring_anything and ulysses_anything, not both")
    refuse(q.shape[2] != k.shape[2], "diffusers: GQA is not yet supported")
    diffusers.gather_size_by_comm = sizes_of_ranks
    config = parallel_config(ring_group, ulysses_group, False, anything=True)
    return templated(q, k, v, scale, return_lse, config)


def native(q, k, v, *, ring_group, ulysses_group, scale):
    """It returns no lse, which the library's ring asks of every backend."""
    refuse(q.shape[1] != k.shape[1], "diffusers' Ulysses cuts dk and dv as it cuts q")
    ring = dist.get_world_size(ring_group)
    refuse(ring > 1, "diffusers' ring raises on the native backend: it has no lse")
    refuse_what_it_refuses(q, k, v, ulysses_group)
    return diffusers.dispatch_attention_fn(
        q, k, v, scale=scale, backend=diffusers.AttentionBackendName.NATIVE,
        parallel_config=parallel_config(ring_group, ulysses_group, False))
