#include "mutants/kernels.h"

#include <numbers>

#include <ATen/core/ivalue.h>

#include "impl/backends/math.h"

namespace attncheck {

Backend three_axis_kernel() {
  Backend backend = math_backend();
  backend.name = "three_axis_kernel";
  return backend;
}

Backend four_axis_kernel() {
  Backend backend = math_backend();
  backend.name = "four_axis_kernel";
  backend.contract.lse_shape = LseShape::BHS1;
  backend.forward = [math = backend.forward](const BackendInputs& block) {
    BackendForward result = math(block);
    result.lse = result.lse.unsqueeze(-1);
    return result;
  };
  return backend;
}

Backend base_two_kernel() {
  Backend backend = math_backend();
  backend.name = "base_two_kernel";
  backend.forward = [math = backend.forward](const BackendInputs& block) {
    BackendForward result = math(block);
    result.lse = result.lse.mul(std::numbers::log2e);
    return result;
  };
  backend.backward = [math = backend.backward](BackendBackward call) {
    call.lse = call.lse.mul(std::numbers::ln2);
    return math(call);
  };
  return backend;
}

Backend natural_kernel_called_base_two() {
  Backend backend = math_backend();
  backend.name = "natural_kernel_called_base_two";
  backend.contract.lse_base = 2.0;
  backend.backward = [math = backend.backward](BackendBackward call) {
    call.lse = call.lse.div(std::numbers::ln2);
    return math(call);
  };
  return backend;
}

}  // namespace attncheck
