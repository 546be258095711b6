"""yunchang (long-context-attention): Ulysses, ring, and both as one, on a stand-in for flash-attn.

    python -m attncheck check --impl yunchang_cp:attention --mesh 2x1,1x2,2x2 --dtype f16,bf16

`attention` is LongContextAttention on the mesh that we are given. `ulysses` is UlyssesAttention.
`torch_math` is LongContextAttention with AttnType.TORCH_MATH, which needs no flash-attn, and
`ulysses_torch_flash` is UlyssesAttention with AttnType.TORCH_FLASH, its kernel replaced by that for
CPU. These have no backward in the library, and are asked for their forward alone.
"""

import torch
import torch.distributed as dist

import flash_stand_in
from local_attention import refuse

flash_stand_in.install()

from yunchang import LongContextAttention, UlyssesAttention  # noqa: E402 (after the stand-in)
from yunchang.globals import PROCESS_GROUP  # noqa: E402
from yunchang.kernels import AttnType, attention as kernels  # noqa: E402

METHODS = {"contiguous": "basic", "zigzag": "zigzag", "striped": "strip"}


def refuse_what_it_refuses(q, k, v, ulysses, is_causal, layout):
    refuse(layout not in METHODS, f"it has no {layout} layout")
    refuse(q.shape[3] != v.shape[3], "flash-attn takes one head_dim for q, k and v")
    refuse(q.shape[2] % k.shape[2] != 0, "flash-attn shares key heads by equal groups")
    refuse(k.shape[2] % ulysses != 0 or q.shape[2] % ulysses != 0, "it cuts heads in equal parts")
    refuse(is_causal and q.shape[1] != k.shape[1], "its causal blocks are square")
    refuse(layout != "contiguous" and not is_causal, f"its {layout} layout is for causal attention")
    refuse(layout == "zigzag" and q.shape[1] * ulysses % 2 == 1, "zigzag halves each shard")


def of_flash_attn(dtype):
    refuse(dtype not in (torch.float16, torch.bfloat16), "flash-attn takes float16 and bfloat16")


def long_context(q, k, v, ring_group, ulysses_group, scale, is_causal, layout, attn_type):
    refuse_what_it_refuses(q, k, v, dist.get_world_size(ulysses_group), is_causal, layout)
    refuse(dist.get_world_size(ring_group) == 1, "its ring sends to itself on one rank")
    # What set_seq_parallel_pg() makes for the whole world, with the groups that we are given.
    PROCESS_GROUP.RING_PG, PROCESS_GROUP.ULYSSES_PG = ring_group, ulysses_group
    layer = LongContextAttention(ring_impl_type=METHODS[layout], attn_type=attn_type)
    return layer(q, k, v, softmax_scale=scale, causal=is_causal)


def attention(q, k, v, *, ring_group, ulysses_group, scale, is_causal=False, layout="contiguous"):
    of_flash_attn(q.dtype)
    return long_context(
        q, k, v, ring_group, ulysses_group, scale, is_causal, layout, AttnType.FA)


def ulysses(q, k, v, *, ulysses_group, scale, is_causal=False):
    of_flash_attn(q.dtype)
    refuse_what_it_refuses(q, k, v, dist.get_world_size(ulysses_group), is_causal, "contiguous")
    return UlyssesAttention(ulysses_group)(q, k, v, softmax_scale=scale, causal=is_causal)


def ulysses_torch_flash(q, k, v, *, ulysses_group, scale):
    refuse(q.shape[2] != k.shape[2], "the kernel is not asked for grouped heads")
    refuse_what_it_refuses(q, k, v, dist.get_world_size(ulysses_group), False, "contiguous")
    kernels._scaled_dot_product_flash_attention = (
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu)
    layer = UlyssesAttention(ulysses_group, attn_type=AttnType.TORCH_FLASH)
    return layer(*(x.detach() for x in (q, k, v)), softmax_scale=scale)


def torch_math(q, k, v, *, ring_group, ulysses_group, scale, is_causal=False):
    refuse(q.shape[2] != k.shape[2], "scaled_dot_product_attention is not asked for grouped heads")
    q, k, v = (x.detach() for x in (q, k, v))
    return long_context(
        q, k, v, ring_group, ulysses_group, scale, is_causal, "contiguous", AttnType.TORCH_MATH)
