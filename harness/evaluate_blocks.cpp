#include "harness/evaluate_blocks.h"

#include <limits>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/stack.h>

#include "impl/contract/dtypes.h"

namespace attncheck {
namespace {

BackendInputs block_of_keys(const BackendInputs& whole, int64_t begin, int64_t length) {
  BackendInputs block = whole;
  block.k = whole.k.narrow(1, begin, length);
  block.v = whole.v.narrow(1, begin, length);
  if (whole.mask.defined()) block.mask = whole.mask.narrow(-1, begin, length);
  if (whole.diagonal) block.diagonal = *whole.diagonal - begin;
  return block;
}

// What a block's out counts for, (B, Sq, H, 1): 0 in a row that sees none of its keys.
at::Tensor weight_of(const at::Tensor& lse, const at::Tensor& total) {
  return at::exp(lse - total)
      .masked_fill(lse == -std::numeric_limits<double>::infinity(), 0.0)
      .unsqueeze(-1);
}

}  // namespace

KeyBlocks::KeyBlocks(const Backend& backend, const BackendInputs& whole,
                     const std::vector<int64_t>& lengths)
    : backend_(backend) {
  if (lengths.size() == 1) {
    blocks_.push_back(whole);
    return;
  }
  int64_t begin = 0;
  for (int64_t length : lengths) {
    blocks_.push_back(block_of_keys(whole, begin, length));
    begin += length;
  }
}

BlockAttention KeyBlocks::forward() {
  std::vector<at::Tensor> outs, lses;
  for (const BackendInputs& block : blocks_) {
    BlockAttention attention = attend(backend_, block);
    aux_.push_back(std::move(attention.aux));
    if (blocks_.size() == 1) return attention;
    outs.push_back(attention.out);
    lses.push_back(attention.lse);
  }
  const at::Tensor total = at::logsumexp(at::stack(lses), 0);
  at::Tensor sum;
  for (size_t i = 0; i < outs.size(); ++i) {
    const at::Tensor part = outs[i].to(total.scalar_type()) * weight_of(lses[i], total);
    sum = sum.defined() ? sum + part : part;
  }
  return {sum.to(outs.front().scalar_type()), total, {}};
}

BackendGrads KeyBlocks::backward(const at::Tensor& dout, const at::Tensor& dlse,
                                 const at::Tensor& out, const at::Tensor& lse) const {
  at::Tensor dq;
  std::vector<at::Tensor> dk, dv;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    BackendGrads grads = attend_backward(backend_, {blocks_[i], dout, dlse, out, lse, aux_[i]});
    if (blocks_.size() == 1) return grads;
    const at::Tensor part = grads.dq.to(lse_scalar_type(grads.dq.scalar_type()));
    dq = dq.defined() ? dq + part : part;
    dk.push_back(grads.dk);
    dv.push_back(grads.dv);
  }
  return {dq.to(blocks_.front().q.scalar_type()), at::cat(dk, 1), at::cat(dv, 1)};
}

}  // namespace attncheck
