#pragma once

#include "impl/backends/hidden_keys.h"
#include "problem/problem.h"

namespace attncheck {

// A block's problem as the backend `cudnn` calls LibTorch's cuDNN operators for it.
struct SdpaCall {
  int64_t batch, heads, kv_heads, q_len, kv_len, head_dim, v_head_dim;
  DType dtype;
  HiddenKeys hidden;
};

inline SdpaCall sdpa_call(const Problem& block) {
  return {block.batch,    block.heads,      block.kv_heads, block.q_len,       block.kv_len,
          block.head_dim, block.v_head_dim, block.dtype,    hidden_keys(block)};
}

}  // namespace attncheck
