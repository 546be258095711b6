#include "impl/backends/visibility.h"

#include <algorithm>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace attncheck {
namespace {

// The queries before the first one that the diagonal lets see a key.
int64_t leading_empty_rows(const BackendInputs& block) {
  return std::clamp<int64_t>(-block.diagonal.value_or(0), 0, block.q.size(1));
}

// (B|1, Sq, H|1) bool: the rows that see no key, by mask and diagonal together.
at::Tensor empty_rows(const BackendInputs& block) {
  const int64_t q_len = block.q.size(1), kv_len = block.k.size(1);
  at::Tensor visible =
      block.mask.scalar_type() == at::kBool ? block.mask : block.mask != -kInfinity;
  const auto diagonal = hiding_diagonal(block);
  const auto all = at::ones({q_len, kv_len}, visible.options());
  visible = visible.logical_and(diagonal ? all.tril(*diagonal) : all);
  while (visible.dim() < 4) visible = visible.unsqueeze(0);
  return visible.any(-1).logical_not().transpose(1, 2);
}

}  // namespace

bool may_have_empty_rows(const BackendInputs& block) {
  return block.mask.defined() || leading_empty_rows(block) > 0;
}

bool any_visible(const BackendInputs& block) {
  if (leading_empty_rows(block) == block.q.size(1)) return false;
  return !block.mask.defined() || !empty_rows(block).all().item<bool>();
}

at::Tensor fill_empty_rows(const at::Tensor& x, const BackendInputs& block, double value) {
  if (block.mask.defined()) {
    at::Tensor rows = empty_rows(block);
    return x.masked_fill(x.dim() == 4 ? rows.unsqueeze(-1) : rows, value);
  }
  const int64_t empty = leading_empty_rows(block);
  if (empty == 0) return x;
  std::vector<int64_t> pad(2 * (x.dim() - 1), 0);  // the last axis first, a pair for each
  pad[pad.size() - 2] = empty;
  return at::constant_pad_nd(x.narrow(1, empty, x.size(1) - empty), pad, value);
}

at::Tensor lse_for_backward(const BackendBackward& call) {
  if (!may_have_empty_rows(call.block)) return call.lse;
  return call.lse.masked_fill(call.lse == -kInfinity, kInfinity);
}

std::optional<int64_t> hiding_diagonal(const BackendInputs& block) {
  const bool hides = block.diagonal && *block.diagonal < block.k.size(1) - 1;
  return hides ? block.diagonal : std::nullopt;
}

at::Tensor additive_mask(const BackendInputs& block, at::ScalarType dtype) {
  const auto diagonal = hiding_diagonal(block);
  const auto options = block.q.options().dtype(dtype);
  at::Tensor causal;
  if (diagonal) {
    causal = at::full({block.q.size(1), block.k.size(1)}, -kInfinity, options).triu(*diagonal + 1);
  }
  if (!block.mask.defined()) return causal;
  at::Tensor mask = block.mask;
  if (mask.scalar_type() == at::kBool) {
    mask = at::zeros(mask.sizes(), options).masked_fill(mask.logical_not(), -kInfinity);
  }
  mask = mask.to(dtype);
  if (causal.defined()) mask = mask + causal;
  while (mask.dim() < 4) mask = mask.unsqueeze(0);
  return mask;
}

}  // namespace attncheck
