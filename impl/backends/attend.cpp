#include "impl/backends/attend.h"

#include <utility>

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

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

at::Tensor with_column(const at::Tensor& x, double value) {
  return at::constant_pad_nd(x, {0, 1}, value);
}

BackendBackward with_lse_column(const BackendBackward& call) {
  BackendBackward wide = call;
  wide.block.q = with_column(call.block.q, 0);
  wide.block.k = with_column(call.block.k, 0);
  wide.block.v = with_column(call.block.v, 1);
  wide.out = with_column(call.out, 0);
  const at::Tensor grad_lse = call.grad_lse.to(call.grad_out.scalar_type()).unsqueeze(-1);
  wide.grad_out = at::cat({call.grad_out, grad_lse}, -1);
  wide.grad_lse = at::Tensor();
  return wide;
}

at::Tensor without_column(const at::Tensor& x) {
  return x.narrow(-1, 0, x.size(-1) - 1);
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
  BackendGrads wide = backend.backward(with_lse_column(call));
  return {without_column(wide.dq), without_column(wide.dk), without_column(wide.dv)};
}

}  // namespace attncheck
