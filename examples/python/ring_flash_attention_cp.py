"""ring-flash-attention (`ring-flash-attn` on PyPI): its ring, zigzag and striped functions, on a
stand-in for flash-attn on CPU.

    python -m attncheck check --impl ring_flash_attention_cp:attention --mesh 2x1 --dtype f16,bf16

`attention` takes what flash-attn takes, float16 and bfloat16. `in_float32` shows what a kernel for
float32 would meet: the library's accumulators are then the kernel's own buffers.
"""

import sys
import types

import torch
import torch.distributed as dist

import flash_stand_in
from local_attention import refuse

flash_stand_in.install()
# What it offers to transformers is not what is checked, and would import all of transformers.
hugging_face = types.ModuleType("ring_flash_attn.adapters")
hugging_face.substitute_hf_flash_attn = hugging_face.update_ring_flash_attn_params = None
sys.modules.setdefault("ring_flash_attn.adapters", hugging_face)

import ring_flash_attn as library  # noqa: E402 (after its stand-ins)

METHODS = {
    "contiguous": library.ring_flash_attn_func,
    "zigzag": library.zigzag_ring_flash_attn_func,
    "striped": library.stripe_flash_attn_func,
}


def refuse_what_it_refuses(q, k, v, is_causal, layout):
    refuse(layout not in METHODS, f"it has no {layout} layout")
    refuse(q.shape[3] != v.shape[3], "flash-attn takes one head_dim for q, k and v")
    refuse(q.shape[2] % k.shape[2] != 0, "flash-attn shares key heads by equal groups")
    refuse(is_causal and q.shape[1] != k.shape[1], "its causal blocks are square")
    refuse(layout != "contiguous" and not is_causal, f"its {layout} layout is for causal attention")
    refuse(layout == "zigzag" and q.shape[1] % 2 == 1, "zigzag halves each shard")


def called(q, k, v, ring_group, scale, is_causal, return_lse, layout):
    refuse_what_it_refuses(q, k, v, is_causal, layout)
    refuse(dist.get_world_size(ring_group) == 1, "its ring sends to itself on one rank")
    out = METHODS[layout](q, k, v, softmax_scale=scale, causal=is_causal, group=ring_group,
                          return_attn_probs=return_lse)
    return (out[0], out[1].transpose(1, 2)) if return_lse else out


def attention(q, k, v, *, ring_group, scale, is_causal=False, return_lse=False,
              layout="contiguous"):
    refuse(q.dtype not in (torch.float16, torch.bfloat16), "flash-attn takes float16 and bfloat16")
    return called(q, k, v, ring_group, scale, is_causal, return_lse, layout)


def in_float32(q, k, v, *, ring_group, scale, is_causal=False, return_lse=False,
               layout="contiguous"):
    refuse(q.dtype != torch.float32, "float32 is what is asked here")
    return called(q, k, v, ring_group, scale, is_causal, return_lse, layout)
