#include "reference/visibility.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>

namespace attncheck::reference {
namespace {

at::Tensor visible_rows(const Inputs& in, const Sizes& n, int64_t begin, int64_t rows) {
  at::Tensor visible = at::ones({n.batch, n.heads, rows, n.kv_len}, at::kBool);
  if (const at::Tensor mask = mask_rows(in, begin, rows); mask.defined()) {
    visible.masked_fill_(mask.scalar_type() == at::kBool ? mask.logical_not() : mask.eq(-kInfinity),
                         false);
  }
  if (const at::Tensor hidden = causally_hidden(in, begin, rows); hidden.defined()) {
    visible.masked_fill_(hidden, false);
  }
  return visible;
}

}  // namespace

at::Tensor causally_hidden(const Inputs& in, int64_t begin, int64_t rows) {
  if (!in.diagonal) return {};
  const auto keys = static_cast<int64_t>(in.kv_positions.size());
  at::Tensor hidden = at::empty({rows, keys}, at::kBool);
  bool* at = hidden.data_ptr<bool>();
  for (int64_t row = begin; row < begin + rows; ++row) {
    const int64_t last_seen = in.q_positions[row] + *in.diagonal;
    for (const int64_t position : in.kv_positions) *at++ = position > last_seen;
  }
  return hidden;
}

at::Tensor mask_rows(const Inputs& in, int64_t begin, int64_t rows) {
  if (!in.mask.defined()) return {};
  const at::Tensor mask = in.mask.to(at::kCPU);
  const bool same_for_all_rows = mask.dim() < 2 || mask.size(-2) == 1;
  return same_for_all_rows ? mask : mask.narrow(-2, begin, rows);
}

at::Tensor visibility(const Inputs& in) {
  const Sizes n = checked_sizes(in);
  return visible_rows(in, n, 0, n.q_len);
}

at::Tensor visible_counts(const Inputs& in) {
  const Sizes n = checked_sizes(in);
  at::Tensor counts = at::empty({n.batch, n.q_len, n.heads}, at::kLong);
  for (int64_t begin = 0; begin < n.q_len; begin += in.row_block) {
    const int64_t rows = std::min(in.row_block, n.q_len - begin);
    const at::Tensor by_head = visible_rows(in, n, begin, rows).sum(-1);
    counts.narrow(1, begin, rows).copy_(by_head.transpose(1, 2));
  }
  return counts;
}

}  // namespace attncheck::reference
