#include "reference/row_gradients.h"

#include <limits>

#include <ATen/ops/bmm.h>
#include <c10/util/Exception.h>

namespace attncheck::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void check_cotangents(const Sizes& n, const at::Tensor& dout, const at::Tensor& dlse) {
  const int64_t out_shape[] = {n.batch, n.q_len, n.heads, n.value_dim};
  const int64_t lse_shape[] = {n.batch, n.q_len, n.heads};
  TORCH_CHECK(!dout.defined() || dout.sizes() == at::IntArrayRef(out_shape), "dout is ",
              dout.sizes(), ", out is ", at::IntArrayRef(out_shape));
  TORCH_CHECK(!dlse.defined() || dlse.sizes() == at::IntArrayRef(lse_shape), "dlse is ",
              dlse.sizes(), ", lse is ", at::IntArrayRef(lse_shape));
}

RowCotangents row_cotangents(const RowBlocks& blocks, const RowBlock& block, const at::Tensor& dout,
                             const at::Tensor& dlse) {
  RowCotangents row;
  if (dout.defined()) row.dout = blocks.take(dout, block.begin, block.rows);
  if (dlse.defined()) row.dlse = blocks.take(dlse.unsqueeze(-1), block.begin, block.rows);
  if (blocks.rows_may_be_empty()) {
    const at::Tensor empty = block.lse.eq(-kInfinity);
    if (row.dout.defined()) row.dout = row.dout.masked_fill(empty, 0);
    if (row.dlse.defined()) row.dlse = row.dlse.masked_fill(empty, 0);
  }
  if (!row.dout.defined()) {
    row.bracket = row.dlse.expand_as(block.probability);
    return row;
  }
  row.bracket = at::bmm(row.dout, blocks.v().transpose(1, 2));
  at::Tensor mean = block.probability.mul(row.bracket).sum(-1, true);
  if (row.dlse.defined()) mean.sub_(row.dlse);
  row.bracket.sub_(mean);
  return row;
}

}  // namespace attncheck::reference
