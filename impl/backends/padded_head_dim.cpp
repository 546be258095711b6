#include "impl/backends/padded_head_dim.h"

#include <string>
#include <utility>

#include <ATen/core/ivalue.h>
#include <ATen/ops/constant_pad_nd.h>

#include "problem/next_multiple.h"

namespace attncheck {
namespace {

at::Tensor leading(const at::Tensor& x, int64_t components) {
  return x.narrow(-1, 0, components);
}

Problem padded_problem(Problem problem, int64_t multiple) {
  problem.scale = effective_scale(problem);
  problem.head_dim = next_multiple(problem.head_dim, multiple);
  problem.v_head_dim = next_multiple(problem.v_head_dim, multiple);
  return problem;
}

}  // namespace

at::Tensor with_padded_head_dim(const at::Tensor& x, int64_t multiple) {
  const int64_t more = next_multiple(x.size(-1), multiple) - x.size(-1);
  return more == 0 ? x : at::constant_pad_nd(x, {0, more}, 0);
}

BackendInputs with_padded_head_dim(const BackendInputs& block, int64_t multiple) {
  BackendInputs padded = block;
  padded.q = with_padded_head_dim(block.q, multiple);
  padded.k = with_padded_head_dim(block.k, multiple);
  padded.v = with_padded_head_dim(block.v, multiple);
  return padded;
}

BackendBackward with_padded_head_dim(const BackendBackward& call, int64_t multiple) {
  BackendBackward padded = call;
  padded.block = with_padded_head_dim(call.block, multiple);
  padded.out = with_padded_head_dim(call.out, multiple);
  padded.grad_out = with_padded_head_dim(call.grad_out, multiple);
  return padded;
}

Backend padded_head_dim(Backend inner, int64_t multiple) {
  Backend backend = inner;
  backend.name = inner.name + " padded to " + std::to_string(multiple);
  backend.contract.takes.head_dim_multiple = multiple;
  backend.supports = [inner, multiple](const Problem& problem) {
    return inner.supports(padded_problem(problem, multiple));
  };
  backend.forward = [inner, multiple](const BackendInputs& block) -> BackendForward {
    BackendForward result = inner.forward(with_padded_head_dim(block, multiple));
    if (result.returned.empty() && inner.contract.op.empty()) {
      const bool by_head = inner.contract.layout == KernelLayout::BHSD;
      result.returned.emplace_back(by_head ? result.out.transpose(1, 2) : result.out);
      if (inner.contract.lse) result.returned.emplace_back(result.lse);
    }
    result.out = leading(result.out, block.v.size(-1));
    return result;
  };
  backend.backward = [inner, multiple](const BackendBackward& call) -> BackendGrads {
    const BackendGrads grads = inner.backward(with_padded_head_dim(call, multiple));
    return {leading(grads.dq, call.block.q.size(-1)), leading(grads.dk, call.block.k.size(-1)),
            leading(grads.dv, call.block.v.size(-1))};
  };
  return backend;
}

}  // namespace attncheck
