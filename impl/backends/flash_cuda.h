#pragma once

#include "impl/contract/backend.h"

namespace attncheck {

// "flash_cuda": aten::_scaled_dot_product_flash_attention and its backward, on a CUDA device. Half
// types.
// - Its is_causal has the last query on the last key: a diagonal is one call, or two
//   (diagonal_pieces.h), forward and backward. It takes no mask.
// - Its backward has the seed and the offset last, behind is_causal: cudnn's has them in front.
// - Grouped heads it has itself; dv != d and head_dims that are no multiple of 8 are refused.
// - A grad_lse is a second call (with_lse_cotangent).
// `supports` is no with the reason where there is no CUDA device; else flash_cuda_support.
Backend flash_cuda_backend();

}  // namespace attncheck
