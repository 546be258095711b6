#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace attncheck {

// The narrower dtype on whose grid all of `values` lie that stand above `bound`, when there are 8
// of them or more: float32 for float64; float16 or bfloat16 for float32. Empty when there is none,
// or when `reference` (float64, of the same shape, rounded to the values' dtype) lies on that grid
// as well: then the values say nothing.
std::string coarser_grid(const at::Tensor& values, const at::Tensor& reference,
                         const at::Tensor& bound);

}  // namespace attncheck
