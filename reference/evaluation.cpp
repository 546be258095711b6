#include "reference/evaluation.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>

#include "reference/bounds_pass.h"
#include "reference/gradient_pass.h"
#include "reference/row_blocks.h"

namespace attncheck::reference {

Evaluation evaluate(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse,
                    const std::optional<BoundContext>& context) {
  const at::AutoDispatchBelowAutograd no_autograd;
  const RowBlocks blocks(inputs);
  const Sizes& n = blocks.sizes();
  std::optional<GradientPass> gradients;
  std::optional<BoundsPass> bounds;
  if (dout.defined() || dlse.defined()) gradients.emplace(blocks, dout, dlse);
  if (context) bounds.emplace(blocks, *context, gradients.has_value());
  Evaluation result;
  result.forward = {at::empty({n.batch, n.q_len, n.heads, n.value_dim}, at::kDouble),
                    at::empty({n.batch, n.q_len, n.heads}, at::kDouble)};
  const at::Tensor lse = result.forward.lse.unsqueeze(-1);
  blocks.for_each([&](const RowBlock& block) {
    blocks.put(at::bmm(block.probability, blocks.v()), block.begin, result.forward.out);
    blocks.put(block.lse, block.begin, lse);
    if (bounds) bounds->add_forward(block);
    if (!gradients) return;
    const RowCotangents row = gradients->add(block);
    if (bounds) bounds->add_gradients(block, row);
  });
  if (gradients) result.gradients = gradients->finish();
  if (bounds) result.bounds = bounds->finish(result.forward, result.gradients);
  return result;
}

Bounds bounds(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse,
              const BoundContext& context) {
  return evaluate(inputs, dout, dlse, context).bounds;
}

}  // namespace attncheck::reference
