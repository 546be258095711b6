#include "reference/dense_attention.h"

#include <algorithm>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "reference/row_blocks.h"
#include "reference/row_gradients.h"

namespace attncheck::reference {

Forward forward(const Inputs& inputs) {
  const at::AutoDispatchBelowAutograd no_autograd;
  const RowBlocks blocks(inputs);
  const Sizes& n = blocks.sizes();
  Forward result{at::empty({n.batch, n.q_len, n.heads, n.value_dim}, at::kDouble),
                 at::empty({n.batch, n.q_len, n.heads}, at::kDouble)};
  const at::Tensor lse = result.lse.unsqueeze(-1);
  blocks.for_each([&](const RowBlock& block) {
    blocks.put(at::bmm(block.probability, blocks.v()), block.begin, result.out);
    blocks.put(block.lse, block.begin, lse);
  });
  return result;
}

Gradients vjp(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse) {
  const at::AutoDispatchBelowAutograd no_autograd;
  const RowBlocks blocks(inputs);
  const Sizes& n = blocks.sizes();
  check_cotangents(n, dout, dlse);
  Gradients result{at::zeros({n.batch, n.q_len, n.heads, n.head_dim}, at::kDouble), {}, {}};
  at::Tensor dk = at::zeros_like(blocks.k());
  at::Tensor dv = at::zeros_like(blocks.v());
  if (dout.defined() || dlse.defined()) {
    blocks.for_each([&](const RowBlock& block) {
      const RowCotangents row = row_cotangents(blocks, block, dout, dlse);
      const at::Tensor ds = row.bracket.mul(block.probability);
      blocks.put(at::bmm(ds, blocks.k()).mul_(inputs.scale), block.begin, result.dq);
      dk.baddbmm_(ds.transpose(1, 2), block.q, 1, inputs.scale);
      if (row.dout.defined()) dv.baddbmm_(block.probability.transpose(1, 2), row.dout);
    });
  }
  result.dk = blocks.keys_by_token(dk);
  result.dv = blocks.keys_by_token(dv);
  return result;
}

at::Tensor probabilities(const Inputs& inputs) {
  const at::AutoDispatchBelowAutograd no_autograd;
  Inputs whole = inputs;
  whole.row_block = std::max<int64_t>(1, inputs.q.size(1));
  const RowBlocks blocks(whole);
  const Sizes& n = blocks.sizes();
  at::Tensor result = at::empty({n.batch, n.heads, n.q_len, n.kv_len}, at::kDouble);
  blocks.for_each([&](const RowBlock& block) {
    result.copy_(block.probability.view({n.batch, n.heads, n.q_len, n.kv_len}));
  });
  return result;
}

}  // namespace attncheck::reference
