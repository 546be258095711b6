#pragma once

#include "problem/problem.h"

namespace attncheck {

// A block's problem as LibTorch's cuDNN operators are called for it by the backend `cudnn`.
struct SdpaCall {
  int64_t batch, heads, kv_heads, q_len, kv_len, head_dim, v_head_dim;
  DType dtype;
  bool causal;  // is_causal: key j is seen by query i iff j <= i
  bool bias;    // attn_bias of (B, H, Sq, Skv) in q's dtype: whatever else hides
};

// The operators' own diagonal starts at the first key; another one, a mask, a window and documents
// become a bias, alone.
inline SdpaCall sdpa_call(const Problem& block) {
  const bool plain = block.mask == Mask::none && !block.window && block.documents.empty();
  const bool causal = plain && causal_diagonal(block) == 0;
  return {block.batch,    block.heads,      block.kv_heads, block.q_len, block.kv_len,
          block.head_dim, block.v_head_dim, block.dtype,    causal,      !plain || (block.causal && !causal)};
}

}  // namespace attncheck
