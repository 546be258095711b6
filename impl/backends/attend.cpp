#include "impl/backends/attend.h"

#include <utility>

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "impl/backends/lse_columns.h"
#include "impl/backends/normalise_lse.h"
#include "impl/backends/visibility.h"
#include "impl/contract/dtypes.h"

namespace attncheck {
namespace {

BlockAttention nothing_visible(const BackendContract& contract, const BackendInputs& block) {
  const auto& q = block.q;
  BlockAttention result;
  result.out = at::zeros({q.size(0), q.size(1), q.size(2), block.v.size(3)}, q.options());
  if (contract.lse) {
    result.lse = at::full({q.size(0), q.size(1), q.size(2)}, -kInfinity,
                          q.options().dtype(lse_scalar_type(q.scalar_type())));
  }
  return result;
}

}  // namespace

BlockAttention attend(const Backend& backend, const BackendInputs& block) {
  TORCH_CHECK(block.k.size(1) >= 1, backend.name, ": a block has no keys: k is ", block.k.sizes());
  if (!any_visible(block)) return nothing_visible(backend.contract, block);
  BackendForward raw = backend.forward(block);
  BlockAttention result;
  result.out = fill_empty_rows(raw.out, block, 0.0);
  if (backend.contract.lse) result.lse = normalise_lse(backend.contract, raw.lse, block);
  result.aux = std::move(raw.aux);
  return result;
}

BackendGrads attend_backward(const Backend& backend, const BackendBackward& call) {
  const BackendInputs& block = call.block;
  if (!any_visible(block)) {
    return {at::zeros_like(block.q), at::zeros_like(block.k), at::zeros_like(block.v)};
  }
  if (!call.grad_lse.defined() || backend.contract.takes_grad_lse) return backend.backward(call);
  return backward_by_columns(backend, call);
}

}  // namespace attncheck
