#include "impl/merges/block_calls.h"

#include <utility>

#include "impl/merges/span_sums.h"

namespace attncheck {

BackendInputs block_inputs(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           double scale, const Block& block) {
  return {tokens_of(q, block.queries),
          tokens_of(k, block.keys),
          tokens_of(v, block.keys),
          block.mask.defined() ? block.mask.to(q.device()) : block.mask,
          scale,
          block.diagonal};
}

BackendBackward block_backward(BackendInputs inputs, const QueryRows& rows, const Block& block,
                               std::vector<c10::IValue> aux) {
  const auto own = [&](const at::Tensor& x) {
    return x.defined() ? tokens_of(x, block.queries) : x;
  };
  return {std::move(inputs), own(rows.grad_out), own(rows.grad_lse),
          own(rows.out),     own(rows.lse),      std::move(aux)};
}

}  // namespace attncheck
