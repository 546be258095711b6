#pragma once

#include <ATen/core/Tensor.h>

#include "impl/contract/backend.h"

namespace attncheck {

// What LibTorch's attention operators have in common, on CPU and on CUDA.

// Grouped heads, (B, Skv, Hkv, D), as H = group * Hkv heads, and the gradient of that.
at::Tensor with_all_heads(const at::Tensor& x, int64_t group);
at::Tensor sum_of_groups(const at::Tensor& x, int64_t group);

// Whether the operator's own is_causal, from the first key on, says all that the block hides. It
// multiplies what it hides, -inf, by the scale, which must be positive then.
bool says_is_causal(const BackendInputs& block);

}  // namespace attncheck
