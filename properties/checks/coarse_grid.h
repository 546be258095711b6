#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace attncheck {

// The narrower dtype on whose grid all of `values` lie that stand above `bound`, when there are
// enough of them that it is no chance: float32 for float64 and float16 or bfloat16 for float32, of
// 8 different magnitudes; bfloat16 for float16, which has but 3 bits more, of 24,
// if they are as near `reference` as that grid allows. Empty when there
// is none, or when `reference` (float64, of the same shape, rounded to the values' dtype) lies on
// that grid as well: then the values say nothing.
std::string coarser_grid(const at::Tensor& values, const at::Tensor& reference,
                         const at::Tensor& bound);

}  // namespace attncheck
