#pragma once

#include <c10/core/ScalarType.h>

#include "problem/problem.h"

namespace attncheck {

inline at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return at::kDouble;
    case DType::f32:
      return at::kFloat;
    case DType::bf16:
      return at::kBFloat16;
    case DType::f16:
      return at::kHalf;
  }
  return at::kDouble;
}

// The dtype of the log-sum-exp: the wider of q's dtype and float32.
inline at::ScalarType lse_scalar_type(at::ScalarType q) {
  return q == at::kDouble ? at::kDouble : at::kFloat;
}

// The dtype in which partial results and gradients add up: float32 for narrower inputs if
// convert_to_fp32; never narrower than the input.
inline at::ScalarType accumulation_type(at::ScalarType input, bool convert_to_fp32) {
  return convert_to_fp32 ? lse_scalar_type(input) : input;
}

}  // namespace attncheck
