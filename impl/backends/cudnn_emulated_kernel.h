#pragma once

#include <ATen/core/Tensor.h>

#include "impl/contract/backend_contract.h"

// The algebra of cuDNN's scaled dot product attention on a CPU, called as LibTorch calls it
// (_scaled_dot_product_cudnn_attention and its backward), and refusing what that refuses. Where the
// facts come from: cuDNN's frontend (its guide to attention, and the library itself asked without a
// device), LibTorch's sources (ATen/native/cudnn/MHA.cpp, transformers/cuda/sdp_utils.cpp).
//
// - float16 and bfloat16 alone; every head_dim a multiple of 8 and at most 256, which is SM 9.0's
//   limit; dv may differ from d; H a multiple of Hkv (LibTorch hands k's own sizes on).
// - The last stride is 1. A bias is of q's dtype and is added to the scaled scores; boolean masks
//   are turned into one by whoever calls. Causal is aligned top-left, whatever the lengths.
// - Scores, their exp and all sums are float32. P is rounded to q's dtype before the product with
//   v, and so are P and dS before those of backward; the scale comes after the rounding.
// - The log-sum-exp is natural and float32, (B, H, S) up to LibTorch 2.8 and (B, H, S, 1) from 2.9
//   on; backward wants it back in that shape.
// - A row whose keys are all hidden has -inf there, and backward then gives NaN. Its out is the
//   formula's 0 / 0: nothing says what cuDNN leaves there.
// - Backward refuses one query and one key, at any number of heads.
//
// What is not emulated: the order of the kernel's sums, its exp in base 2, and a backward that adds
// up in any order, so that two runs of the library may differ where these do not.
namespace attncheck::cudnn {

struct Arguments {
  at::Tensor q;          // (B, H, Sq, D)
  at::Tensor k;          // (B, Hkv, Skv, D)
  at::Tensor v;          // (B, Hkv, Skv, Dv)
  at::Tensor attn_bias;  // undefined, or broadcastable to (B, H, Sq, Skv)
  bool is_causal = false;
  double scale = 1.0;
};

struct Output {
  at::Tensor out;         // (B, H, Sq, Dv)
  at::Tensor log_sumexp;  // of the shape that was asked for
};

struct Gradients {
  at::Tensor dq, dk, dv;  // of the shapes and dtype of q, k and v
};

inline constexpr int64_t kHeadDimMultiple = 8;
inline constexpr int64_t kGreatestHeadDim = 256;

// Both throw for what the library refuses.
Output forward(const Arguments& arguments, LseShape lse_shape);
Gradients backward(const at::Tensor& grad_out, const Arguments& arguments, const at::Tensor& out,
                   const at::Tensor& log_sumexp, LseShape lse_shape);

}  // namespace attncheck::cudnn
