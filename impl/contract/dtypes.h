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

}  // namespace attncheck
