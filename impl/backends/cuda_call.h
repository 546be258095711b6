#pragma once

#include <functional>
#include <optional>

#include <ATen/core/Tensor.h>

#include "impl/contract/backend.h"

namespace attncheck {

// What LibTorch's CUDA attention operators have in common. Tensors on CPU are taken to the current
// CUDA device, and results back to where q was: a mesh of CPU tensors can run on a GPU's kernels.

// (B, S, H, D), anywhere -> (B, H, S, D) on `device`, whose memory is that of (B, S, H, D) without
// gaps, from a multiple of 16 bytes on: what all these kernels can read.
at::Tensor to_cuda_kernel(const at::Tensor& x, at::Device device);

// The device of x if it is one of CUDA, else the current one.
at::Device cuda_device_of(const at::Tensor& x);

// (B, H, S, D) as the kernel returned it -> (B, S, H, D) where `like` is.
at::Tensor from_cuda_kernel(const at::Tensor& x, const at::Tensor& like);

// What else hides keys, as an additive mask (B, H, Sq, Skv) in q's dtype, its rows at multiples of
// 16 elements, which is what the kernels can read; nothing where nothing hides, or is_causal says
// it.
std::optional<at::Tensor> attn_bias(const BackendInputs& block, at::Device device);

// lse_for_backward as (B, H, Sq) float32.
at::Tensor lse_for_kernel(const BackendBackward& call, at::Device device);

// The gradients of a call whose grad_lse may be defined, by a kernel that takes none and has no
// room for one more column of head_dim. grad_lse has a call of its own, of the same q and k: v is 1
// in its first column, grad_out is grad_lse there, out is 0, all else is 0. So dout.v is grad_lse
// and rowsum(dout o out) is 0: dS = P o grad_lse, whose dq and dk are added; its dv is not wanted.
BackendGrads with_lse_cotangent(const BackendBackward& call,
                                const std::function<BackendGrads(const BackendBackward&)>& kernel);

}  // namespace attncheck
