#include "impl/backends/cuda_support.h"

#include <string>

#include "impl/backends/hidden_keys.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

constexpr int64_t kGridSize = 65535;  // blocks of a launch's second and third axis

std::string sm_text(int sm) {
  return std::to_string(sm / 10) + "." + std::to_string(sm % 10);
}

Support wants_sm(const std::string& kernel, int sm, int least) {
  if (sm >= least && sm <= 121) return Support::yes();
  return Support::no(kernel + " wants SM " + sm_text(least) + " to 12.1: this is SM " +
                     sm_text(sm));
}

bool is_half(DType dtype) {
  return dtype == DType::bf16 || dtype == DType::f16;
}

Support wants_half(const std::string& kernel, const Problem& block) {
  if (is_half(block.dtype)) return Support::yes();
  return Support::no(kernel + " wants dtype bf16 or f16: the dtype is " +
                     std::string(to_text(block.dtype)));
}

std::string head_dims(const Problem& block) {
  return "head_dim is " + std::to_string(block.head_dim) + ", that of v " +
         std::to_string(block.v_head_dim);
}

Support wants_multiple(const std::string& kernel, const Problem& block, int64_t of) {
  if (block.head_dim % of == 0 && block.v_head_dim % of == 0) return Support::yes();
  return Support::no(kernel + " wants head_dims that are multiples of " + std::to_string(of) +
                     ": " + head_dims(block));
}

Support wants_at_most(const std::string& kernel, const Problem& block, int64_t limit) {
  if (block.head_dim <= limit && block.v_head_dim <= limit) return Support::yes();
  return Support::no(kernel + " wants head_dims up to " + std::to_string(limit) + ": " +
                     head_dims(block));
}

Support wants_dividing_heads(const std::string& kernel, const Problem& block) {
  if (block.heads % block.kv_heads == 0) return Support::yes();
  return Support::no(kernel + " wants KV heads that divide the heads: h=" +
                     std::to_string(block.heads) + ", hkv=" + std::to_string(block.kv_heads));
}

// cuDNN's backward: 256 on SM 9.0; 128 elsewhere, and 192 with 128 for v on SM 10.x.
Support wants_backward_head_dim(const Problem& block, int sm) {
  const bool mla = block.head_dim == 192 && block.v_head_dim == 128;
  if (sm / 10 == 10 && mla) return Support::yes();
  return wants_at_most("cuDNN's backward on SM " + sm_text(sm), block, sm == 90 ? 256 : 128);
}

}  // namespace

Support cudnn_takes_forward(const Problem& block, int sm) {
  if (auto s = wants_sm("cuDNN", sm, 80); !s) return s;
  if (block.dtype == DType::f64) return wants_half("cuDNN", block);
  if (auto s = wants_multiple("cuDNN", block, 8); !s) return s;
  return wants_dividing_heads("cuDNN", block);
}

Support cudnn_takes_backward(const Problem& block, int sm) {
  if (auto s = wants_sm("cuDNN", sm, 80); !s) return s;
  if (auto s = wants_half("cuDNN's backward", block); !s) return s;
  if (auto s = wants_multiple("cuDNN", block, 8); !s) return s;
  if (auto s = wants_backward_head_dim(block, sm); !s) return s;
  if (auto s = wants_dividing_heads("cuDNN", block); !s) return s;
  if (block.q_len == 1 && block.kv_len == 1) {
    return Support::no("cuDNN's backward wants more than one query and one key: q=1, kv=1");
  }
  const bool newer = sm == 90 || sm / 10 == 10;
  if (block.kv_len == 1 && !newer && hidden_keys(block).bias) {
    return Support::no("cuDNN's backward on SM " + sm_text(sm) +
                       " wants more than one key beside a mask: kv=1");
  }
  return Support::yes();
}

Support libtorch_gives_cudnn(const Problem& block, int sm) {
  if (auto s = wants_sm("LibTorch's cuDNN attention", sm, 80); !s) return s;
  if (auto s = wants_half("LibTorch's cuDNN attention", block); !s) return s;
  if (auto s = wants_at_most("LibTorch's cuDNN attention", block, 128); !s) return s;
  if (block.kv_len == 1) {
    return Support::no("LibTorch's cuDNN attention wants more than one key: kv=1");
  }
  if (block.batch <= kGridSize && block.heads <= kGridSize) return Support::yes();
  return Support::no("LibTorch's cuDNN attention wants at most 65535 batches and heads: b=" +
                     std::to_string(block.batch) + ", h=" + std::to_string(block.heads));
}

Support cudnn_support(const Problem& block, int sm) {
  if (auto s = cudnn_takes_backward(block, sm); !s) return s;
  if (auto s = cudnn_takes_forward(block, sm); !s) return s;
  return libtorch_gives_cudnn(block, sm);
}

Support flash_cuda_support(const Problem& block, int sm) {
  const std::string kernel = "flash_cuda";
  if (auto s = wants_sm(kernel, sm, 80); !s) return s;
  if (auto s = wants_half(kernel, block); !s) return s;
  if (block.head_dim != block.v_head_dim) {
    return Support::no(kernel + " wants dv = d: " + head_dims(block));
  }
  if (auto s = wants_multiple(kernel, block, 8); !s) return s;
  const bool narrow = (sm >= 86 && sm <= 89) || sm / 10 == 12;
  if (auto s = wants_at_most(kernel + " on SM " + sm_text(sm), block, narrow ? 192 : 256); !s) {
    return s;
  }
  if (auto s = wants_dividing_heads(kernel, block); !s) return s;
  if (block.mask == Mask::none && !block.window && block.documents.empty()) return Support::yes();
  return Support::no(kernel + " takes no mask, window or documents: use cudnn or efficient_cuda");
}

Support efficient_cuda_support(const Problem& block, int sm) {
  const std::string kernel = "efficient_cuda";
  if (auto s = wants_sm(kernel, sm, 50); !s) return s;
  if (block.dtype == DType::f64 || (block.dtype == DType::bf16 && sm < 80)) {
    return Support::no(kernel + " wants dtype f32, f16 or, from SM 8.0 on, bf16: the dtype is " +
                       std::string(to_text(block.dtype)) + ", the device SM " + sm_text(sm));
  }
  if (auto s = wants_multiple(kernel, block, block.dtype == DType::f32 ? 4 : 8); !s) return s;
  return wants_dividing_heads(kernel, block);
}

}  // namespace attncheck
