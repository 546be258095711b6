#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include "reference/inputs.h"

namespace attncheck::reference {

// How far a correct implementation may stay from the oracle, element by element:
//
//   bound = c * ((u_acc * (sqrt(d) * s_max + sqrt(n) + R) + u_p + u_e) * kappa + m) + u_io * |ref|
//   + floor
//
// u_acc, u_io: unit roundoff of the accumulation and of the result's dtype. lse is in the wider of
//   the io dtype and float32 (DESIGN section 1), so its u_io is u_acc.
// u_p: u_io where it is wider than u_acc (fused kernels round P and dS to the narrow dtype before
//   the product that takes them), else 0. It does not enter lse. Partial results that are merged in
//   the narrow dtype are rounded in each merge: then u_p counts R times.
// u_e: the relative error of exp, where the kernel's contract declares one beyond u_acc. The sum of
//   exp has it as well, and so has lse, as an absolute error: its bound counts u_e once, not c
//   times.
// s_max: the size of a row's scores. P_ij = exp(s_ij - lse_i) turns an absolute error of s_ij into
//   a relative one of P_ij. A dot product of d terms errs by at most sqrt(d) * u * |s| when its
//   terms have one sign (roundings are independent), and by u * |q| * |k| when their signs are
//   random, so
//     s_max = max(|largest score of the row|, |scale| * |q_i| * max_j |k_j| / sqrt(d)).
//   Keys far below the row's largest score do not count: |s| * exp(s - max) is small. The first
//   term also covers the rounding of lse and of an additive mask.
// n: terms of the sums over keys and, for gradients, over the rows that share a key head.
// R: partial results that are merged (ring degree), at least 1.
// m: of out, (R - 1) * u * max_j |v_jc|, u being the unit roundoff of what merges are computed in.
//   A merge may be written as a - sigmoid(lse_b - lse_a) * (a - b), which is how diffusers,
//   PyTorch's ring and ring-flash-attention write it. Where b has nearly all the weight, out is
//   what is left of a - (a - b), with roundings of the size of a and of b, however small out is and
//   however little a weighs. At most 3 u |a - b| + u |a - ..| a merge, and |a|, |b| <= max |v|. Of
//   dq and dk: D_i, the sum of dout * out, has it as sum_c |dout_ic| * m_c. 0 for lse and dv, which
//   take no out, and where R is 1.
// kappa: the result's sums with every term taken at its absolute value,
//     out_ic   sum_j P_ij * |v_jc|
//     lse_i    1
//     dv_jc    sum_i P_ij * |dout_ic|, each row at its own s_max
//     dq_ic    |scale| * sum_j P_ij * (|b_ij| + D_i) * |k_jc|
//     dk_jc    |scale| * sum_i P_ij * (|b_ij| + D_i) * |q_ic|, each row at its own s_max
//   where b is the bracket of gradient_pass.h and D_i = sum_jc P_ij * |dout_ic| * |v_jc| are the
//   terms of rowsum(P o dP). The dot products inside b, over dv channels, add sqrt(dv) to the
//   factor and u_acc * P_ij * (|dout_i| * max_j |v_j| + |dlse_i|) to the term, as for the scores;
//   a narrow kernel that takes dlse takes it in its own dtype, which adds u_p * P_ij * |dlse_i|.
// floor: smallest subnormal of the result's dtype + smallest normal of the accumulation. P counts
//   at least smallest normal / u_acc everywhere, for what exp flushes to zero, and dS errs by at
//   least the smallest number of the format that it is kept in.
// c: one factor for each result, calibrated on a larger sample of the kind that
//   tests/reference/bounds_calibration_test.cpp draws: 5725 problems for each of float64 and
//   float32, lengths up to 256, head dims up to 128, five runs each. There error / bound was at
//   most 0.47; its median over the runs was 0.01 to 0.1, so that an error of 100 times the typical
//   one is out of bounds. The factor of dq was then doubled and that of dk raised by a quarter:
//   LibTorch's fused CPU kernel came to 1.04 of the former on large data in 18,000 cases of
//   `attncheck check`. (A half more for dk was too wide: where MKL sums in wider registers, on
//   AVX-512, the typical dk uses less than a hundredth of that.) In 193,000 cases in float64 no
//   gradient came to more than 0.68 of these.
//   The same c holds for bfloat16 and float16. On that test's sample for LibTorch's fused CPU
//   kernel (400 problems each, those with a key in every row) error / bound was at most 0.58 and
//   its median 0.02 to 0.18.

struct BoundFactors {
  double out, lse, dq, dk, dv;
};
/// The calibrated c of the formula above.
inline constexpr BoundFactors kBoundFactors{5, 4, 4, 5, 6};

struct BoundContext {
  c10::ScalarType io = c10::ScalarType::Double;            // of q, k, v, out and the gradients
  c10::ScalarType accumulation = c10::ScalarType::Double;  // of sums and lse
  int64_t merges = 1;                                      // R
  double exp_error = 0;      // u_e, declared by the kernel's contract; beyond u_acc
  bool narrow_sums = false;  // partial results are merged in the io dtype
};

/// Same shapes as the values, float64, contiguous; every element is finite and positive, also where
/// lse is -inf (compare the patterns of infinities first).
struct Bounds {
  at::Tensor out, lse;
  at::Tensor dq, dk, dv;  // undefined where no cotangent was given
};

/// Cotangents as in vjp(). evaluate() gives the values and the bounds at the cost of one pass.
Bounds bounds(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse,
              const BoundContext& context);

}  // namespace attncheck::reference
