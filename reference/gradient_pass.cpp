#include "reference/gradient_pass.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include "reference/visibility.h"

namespace attncheck::reference {
namespace {

void check_shapes(const Sizes& n, const at::Tensor& dout, const at::Tensor& dlse) {
  const int64_t out[] = {n.batch, n.q_len, n.heads, n.value_dim};
  const int64_t lse[] = {n.batch, n.q_len, n.heads};
  TORCH_CHECK(!dout.defined() || dout.sizes() == at::IntArrayRef(out), "dout is ", dout.sizes(),
              ", out is ", at::IntArrayRef(out));
  TORCH_CHECK(!dlse.defined() || dlse.sizes() == at::IntArrayRef(lse), "dlse is ", dlse.sizes(),
              ", lse is ", at::IntArrayRef(lse));
}

}  // namespace

GradientPass::GradientPass(const RowBlocks& blocks, const at::Tensor& dout, const at::Tensor& dlse)
    : blocks_(blocks),
      dout_(dout),
      dlse_(dlse.defined() ? dlse.unsqueeze(-1) : dlse),
      dk_(at::zeros_like(blocks.k())),
      dv_(at::zeros_like(blocks.v())) {
  const Sizes& n = blocks.sizes();
  check_shapes(n, dout, dlse);
  dq_ = at::empty({n.batch, n.q_len, n.heads, n.head_dim}, at::kDouble);
}

RowCotangents GradientPass::cotangents(const RowBlock& block) const {
  RowCotangents row;
  if (dout_.defined()) row.dout = blocks_.take(dout_, block.begin, block.rows);
  if (dlse_.defined()) row.dlse = blocks_.take(dlse_, block.begin, block.rows);
  if (!blocks_.rows_may_be_empty()) return row;
  const at::Tensor empty = block.lse.eq(-kInfinity);
  if (row.dout.defined()) row.dout = row.dout.masked_fill(empty, 0);
  if (row.dlse.defined()) row.dlse = row.dlse.masked_fill(empty, 0);
  return row;
}

RowCotangents GradientPass::add(const RowBlock& block) {
  RowCotangents row = cotangents(block);
  if (row.dout.defined()) {
    row.bracket = at::bmm(row.dout, blocks_.v().transpose(1, 2));
    const at::Tensor mean = block.probability.mul(row.bracket).sum(-1, true);
    row.bracket.sub_(row.dlse.defined() ? mean.sub(row.dlse) : mean);
    dv_.baddbmm_(block.probability.transpose(1, 2), row.dout);
  } else {
    row.bracket = row.dlse.expand_as(block.probability);
  }
  const at::Tensor ds = block.probability.mul(row.bracket);
  blocks_.put(at::bmm(ds, blocks_.k()).mul_(blocks_.scale()), block.begin, dq_);
  dk_.baddbmm_(ds.transpose(1, 2), block.q, 1, blocks_.scale());
  return row;
}

Gradients GradientPass::finish() const {
  return {dq_, blocks_.keys_by_token(dk_), blocks_.keys_by_token(dv_)};
}

}  // namespace attncheck::reference
