#pragma once

#include <ATen/core/Tensor.h>

namespace attncheck {

// (B, tokens, H, ...) -> (B, S, H, ...) for S of at least as many, zeros behind; what is undefined
// stays so.
at::Tensor zeros_behind(const at::Tensor& x, int64_t tokens);

}  // namespace attncheck
