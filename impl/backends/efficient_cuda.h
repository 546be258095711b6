#pragma once

#include "impl/contract/backend.h"

namespace attncheck {

// "efficient_cuda": aten::_scaled_dot_product_efficient_attention and its backward, on a CUDA
// device.
// - Its LSE is (B, H, S up to the next multiple of 32), with +inf behind the last query, both ways.
// - Diagonals other than 0 and masks become a bias.
// - It has no grouped heads: they are expanded, and their gradients summed.
// - A grad_lse is a second call (with_lse_cotangent).
// `supports` is no with the reason where there is no CUDA device; else efficient_cuda_support.
Backend efficient_cuda_backend();

}  // namespace attncheck
