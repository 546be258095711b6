#pragma once

#include <ATen/core/Tensor.h>

namespace attncheck::sim {

// What stands in an output until its exchange was waited for: NaN in floating and complex dtypes,
// bytes of 0xA5 in all others. For dense, contiguous CPU tensors.
void poison(const at::Tensor& tensor);
// Whether nobody has written to it since.
bool is_poison(const at::Tensor& tensor);

}  // namespace attncheck::sim
