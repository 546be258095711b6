#pragma once

#include "impl/contract/backend.h"

namespace attncheck {

// "cudnn": aten::_scaled_dot_product_cudnn_attention and its backward, on a CUDA device. Half
// types.
// - Its LSE is (B, H, S) before LibTorch 2.9 and (B, H, S, 1) from then on, both ways.
// - Its backward has an order of arguments of its own: the seed and the offset stand before the
// bias
//   (since 2.5; flash_cuda's has them last), and all of them are tensors.
// - Diagonals other than 0 and masks become a bias; grouped heads it has itself.
// - A grad_lse is a second call (with_lse_cotangent).
// `supports` is no with the reason where there is no CUDA device; else cudnn_support
// (cuda_support.h).
Backend cudnn_backend();

}  // namespace attncheck
