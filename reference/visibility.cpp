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
  if (const at::Tensor hidden = hidden_by_place(in, begin, rows); hidden.defined()) {
    visible.masked_fill_(hidden, false);
  }
  return visible;
}

constexpr int64_t kEverywhere = int64_t{1} << 40;  // past every position

// The positions that a row sees, first to last.
struct Sight {
  int64_t first = -kEverywhere, last = kEverywhere;
};

Sight sight_of(const Inputs& in, int64_t position) {
  Sight sight;
  if (in.diagonal) sight.last = position + *in.diagonal;
  if (in.least_diagonal) sight.first = position + *in.least_diagonal;
  if (in.document_starts.empty()) return sight;
  for (const int64_t start : in.document_starts) {
    if (start <= position) sight.first = std::max(sight.first, start);
    if (start > position) sight.last = std::min(sight.last, start - 1);
  }
  return sight;
}

}  // namespace

bool place_hides(const Inputs& in) {
  return in.diagonal || in.least_diagonal || !in.document_starts.empty();
}

at::Tensor hidden_by_place(const Inputs& in, int64_t begin, int64_t rows) {
  if (!place_hides(in)) return {};
  const auto keys = static_cast<int64_t>(in.kv_positions.size());
  at::Tensor hidden = at::empty({rows, keys}, at::kBool);
  bool* at = hidden.data_ptr<bool>();
  for (int64_t row = begin; row < begin + rows; ++row) {
    const Sight sight = sight_of(in, in.q_positions[row]);
    for (const int64_t position : in.kv_positions) {
      *at++ = position < sight.first || position > sight.last;
    }
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
