#pragma once

#include <ATen/core/Tensor.h>

namespace attncheck {

// x rounded to the next narrower dtype: float64 to float32, float32 to bfloat16. Narrower ones, and
// what is no floating dtype, as they are.
inline at::Tensor narrowed(const at::Tensor& x) {
  const at::ScalarType type = x.scalar_type();
  if (type != at::kDouble && type != at::kFloat) return x;
  return x.to(type == at::kDouble ? at::kFloat : at::kBFloat16).to(type);
}

}  // namespace attncheck
