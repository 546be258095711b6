#include "reference/row_blocks.h"

#include <algorithm>
#include <limits>

#include <ATen/ops/bmm.h>
#include <ATen/ops/full.h>

#include "reference/visibility.h"

namespace attncheck::reference {
namespace {

at::Tensor to_double(const at::Tensor& x) {
  return x.detach().to(at::kCPU, at::kDouble);
}

at::Tensor keys_head_major(const at::Tensor& x) {  // (B, Skv, Hkv, X) -> (N, Skv, X)
  return to_double(x).transpose(1, 2).reshape({x.size(0) * x.size(2), x.size(1), x.size(3)});
}

}  // namespace

RowBlocks::RowBlocks(const Inputs& inputs)
    : inputs_(inputs),
      sizes_(checked_sizes(inputs)),
      k_(keys_head_major(inputs.k)),
      v_(keys_head_major(inputs.v)) {}

bool RowBlocks::rows_may_be_empty() const {
  return place_hides(inputs_) || inputs_.mask.defined() || sizes_.kv_len == 0;
}

at::Tensor RowBlocks::take(const at::Tensor& by_token, int64_t begin, int64_t rows) const {
  return to_double(by_token.narrow(1, begin, rows))
      .transpose(1, 2)
      .reshape({sizes_.batch * sizes_.kv_heads, sizes_.group() * rows, by_token.size(3)});
}

void RowBlocks::put(const at::Tensor& block, int64_t begin, const at::Tensor& by_token) const {
  const int64_t rows = block.size(1) / sizes_.group();
  by_token.narrow(1, begin, rows)
      .copy_(block.view({sizes_.batch, sizes_.heads, rows, block.size(2)}).transpose(1, 2));
}

at::Tensor RowBlocks::keys_by_token(const at::Tensor& head_major) const {
  return head_major.view({sizes_.batch, sizes_.kv_heads, sizes_.kv_len, head_major.size(2)})
      .transpose(1, 2)
      .contiguous();
}

at::Tensor RowBlocks::scores(const at::Tensor& q, int64_t begin, int64_t rows) const {
  at::Tensor scores = at::bmm(q, k_.transpose(1, 2)).mul_(inputs_.scale);
  at::Tensor by_head = scores.view({sizes_.batch, sizes_.heads, rows, sizes_.kv_len});
  if (const at::Tensor mask = mask_rows(inputs_, begin, rows); mask.defined()) {
    if (mask.scalar_type() == at::kBool) {
      by_head.masked_fill_(mask.logical_not(), -kInfinity);
    } else {
      by_head.add_(to_double(mask));
    }
  }
  if (const at::Tensor hidden = hidden_by_place(inputs_, begin, rows); hidden.defined()) {
    by_head.masked_fill_(hidden, -kInfinity);
  }
  return scores;
}

// On a row with no key the maximum is replaced by the lowest finite number, so that every exp is 0,
// the sum is 0 and the log-sum-exp -inf. On any other row the sum is at least exp(0) = 1.
RowBlock RowBlocks::block(int64_t begin) const {
  const int64_t rows = std::min(inputs_.row_block, sizes_.q_len - begin);
  RowBlock block{begin, rows, take(inputs_.q, begin, rows), {}, {}, {}};
  block.probability = scores(block.q, begin, rows);
  if (sizes_.kv_len == 0) {
    block.row_max = at::full({block.q.size(0), block.q.size(1), 1}, -kInfinity, at::kDouble);
    block.lse = block.row_max;
    return block;
  }
  block.row_max = block.probability.amax(-1, true);
  const at::Tensor finite_max = block.row_max.clamp_min(std::numeric_limits<double>::lowest());
  block.probability.sub_(finite_max).exp_();
  const at::Tensor sum = block.probability.sum(-1, true);
  block.lse = sum.log().add_(finite_max);
  block.probability.div_(sum.clamp_min(1));
  return block;
}

}  // namespace attncheck::reference
