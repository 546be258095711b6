#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

#include "reference/dense_attention.h"

namespace attncheck::reference {

// Attention where it has a closed form, in float64, by plain loops: no matrix product, no softmax.
// They judge the oracle, and give properties inputs whose answer is known without it. Shapes as in
// Inputs; no mask, no causality. Each throws c10::Error where Skv is not what it says.

/// Skv = 1: out_i = v_0 and lse_i = scale * q_i . k_0.
Forward one_key(const Inputs& inputs);

/// The gradients of one_key: dq = scale * dlse * k_0, dk = scale * sum_i dlse_i * q_i, dv = sum_i
/// dout_i.
Gradients one_key_vjp(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse);

/// Skv = 2, with p = 1 / (1 + exp(s_1 - s_0)): out = v_1 + p * (v_0 - v_1), and
/// lse = max(s_0, s_1) + log1p(exp(-|s_0 - s_1|)).
Forward two_keys(const Inputs& inputs);

/// The gradients of two_keys. ds_0 = p * (1 - p) * dout . (v_0 - v_1) + p * dlse, and
/// ds_1 = -p * (1 - p) * dout . (v_0 - v_1) + (1 - p) * dlse.
Gradients two_keys_vjp(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse);

/// q = 0 (or k = 0, or scale = 0): every key weighs the same; out is the mean of v, lse = ln(Skv).
Forward equal_keys(const Inputs& inputs);

/// One key wins in each row by a gap that exp turns into 0 (over 745 in float64, over 104 in
/// float32): out_i = v[winner(i)] and lse_i = scale * q_i . k[winner(i)], both exact but for the
/// dot product.
Forward winning_key(const Inputs& inputs, const std::function<int64_t(int64_t row)>& winner);

}  // namespace attncheck::reference
