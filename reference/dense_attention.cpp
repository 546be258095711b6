#include "reference/dense_attention.h"

#include <algorithm>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "reference/evaluation.h"
#include "reference/row_blocks.h"

namespace attncheck::reference {

Forward forward(const Inputs& inputs) {
  return evaluate(inputs, {}, {}).forward;
}

Gradients vjp(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse) {
  if (dout.defined() || dlse.defined()) return evaluate(inputs, dout, dlse).gradients;
  const Sizes n = checked_sizes(inputs);
  return {at::zeros({n.batch, n.q_len, n.heads, n.head_dim}, at::kDouble),
          at::zeros({n.batch, n.kv_len, n.kv_heads, n.head_dim}, at::kDouble),
          at::zeros({n.batch, n.kv_len, n.kv_heads, n.value_dim}, at::kDouble)};
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
