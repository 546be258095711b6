#include "impl/autograd/linear_function.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "impl/autograd/kept.h"

namespace attncheck {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const LinearMap& map,
                            const LinearMap& adjoint) {
    ctx->saved_data["adjoint"] = keep_value(adjoint);
    return map(x);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    TORCH_CHECK(!c10::GradMode::is_enabled(),
                "a second derivative of an exchange is not supported");
    const auto& adjoint = kept_value<LinearMap>(ctx->saved_data["adjoint"]);
    return {adjoint(grads[0]), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor linear_function(const at::Tensor& x, const LinearMap& forward,
                           const LinearMap& adjoint) {
  return Linear::apply(x, forward, adjoint);
}

}  // namespace attncheck
