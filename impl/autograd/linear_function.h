#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

namespace attncheck {

using LinearMap = std::function<at::Tensor(const at::Tensor&)>;

// forward(x), which autograd differentiates by `adjoint` (of the gradient of the result, to the
// gradient of x). Both run without autograd, and outlive the call.
at::Tensor linear_function(const at::Tensor& x, const LinearMap& forward, const LinearMap& adjoint);

}  // namespace attncheck
