#pragma once

#include "impl/contract/support.h"
#include "problem/problem.h"

namespace attncheck {

// What the CUDA backends take, as functions of a block's problem and of the GPU's SM version (90:
// SM 9.0) alone: no GPU is asked. A no has a reason that a user can act on.

// What cuDNN 9.19 itself takes, found by asking it (cudnn_probe/) and held to it by a test, in both
// directions, for SM 8.0, 9.0 and 10.0.
Support cudnn_takes_forward(const Problem& block, int sm);
Support cudnn_takes_backward(const Problem& block, int sm);

// What LibTorch lets through to cuDNN in every release from 2.8 to 2.15 (check_cudnn_tensor_shapes,
// check_dtypes_low_precision and check_cudnn_hardware_support of ATen's
// native/transformers/cuda/sdp_utils.cpp). It refuses some of what cuDNN takes: a single key, and
// head_dims over 128, about which its releases differ. Those checks stand before
// scaled_dot_product_attention only; the backend calls the operator behind it and makes them
// itself.
Support libtorch_gives_cudnn(const Problem& block, int sm);

// The backend `cudnn`: all three of the above.
Support cudnn_support(const Problem& block, int sm);

// The backend `flash_cuda`: half types, dv = d, a multiple of 8 up to 256, no mask
// (check_head_dim_size_flash, check_flash_attention_hardware_support and
// check_requires_grad_and_head_dim_gt192_constraints of the same file).
Support flash_cuda_support(const Problem& block, int sm);

// The backend `efficient_cuda`: float32 and half types, rows of q, k and v in multiples of 16 bytes
// (check_head_dim_size_mem_efficient, check_mem_efficient_hardware_support).
Support efficient_cuda_support(const Problem& block, int sm);

}  // namespace attncheck
