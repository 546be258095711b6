#include "reference/inputs.h"

#include <c10/util/Exception.h>

#include "reference/visibility.h"

namespace attncheck::reference {
namespace {

void check_axes(const Inputs& in) {
  TORCH_CHECK(in.q.dim() == 4 && in.k.dim() == 4 && in.v.dim() == 4,
              "q, k and v have four axes, got ", in.q.dim(), ", ", in.k.dim(), ", ", in.v.dim());
  TORCH_CHECK(in.q.size(0) == in.k.size(0) && in.k.size(0) == in.v.size(0),
              "batch sizes differ: q ", in.q.sizes(), ", k ", in.k.sizes(), ", v ", in.v.sizes());
  TORCH_CHECK(in.q.size(3) == in.k.size(3), "head_dim of q is ", in.q.size(3), ", of k ",
              in.k.size(3));
  TORCH_CHECK(in.k.size(1) == in.v.size(1) && in.k.size(2) == in.v.size(2),
              "length or heads differ: k ", in.k.sizes(), ", v ", in.v.sizes());
  TORCH_CHECK(in.k.size(2) > 0 && in.q.size(2) % in.k.size(2) == 0, in.q.size(2),
              " query heads are no multiple of ", in.k.size(2), " key/value heads");
  TORCH_CHECK(in.row_block > 0, "row_block is ", in.row_block);
}

void check_positions(const Inputs& in, const Sizes& n) {
  if (!place_hides(in)) return;
  TORCH_CHECK(static_cast<int64_t>(in.q_positions.size()) == n.q_len, n.q_len, " rows but ",
              in.q_positions.size(), " positions");
  TORCH_CHECK(static_cast<int64_t>(in.kv_positions.size()) == n.kv_len, n.kv_len, " keys but ",
              in.kv_positions.size(), " positions");
}

void check_mask(const Inputs& in, const Sizes& n) {
  if (!in.mask.defined()) return;
  const int64_t full[] = {n.batch, n.heads, n.q_len, n.kv_len};
  const bool known_kind = in.mask.scalar_type() == at::kBool || in.mask.is_floating_point();
  TORCH_CHECK(known_kind, "a mask is bool or floating, got ", in.mask.scalar_type());
  TORCH_CHECK(in.mask.dim() <= 4, "a mask has at most four axes, got ", in.mask.sizes());
  for (int64_t axis = 1; axis <= in.mask.dim(); ++axis) {
    const int64_t size = in.mask.size(-axis);
    TORCH_CHECK(size == 1 || size == full[4 - axis], "a mask of ", in.mask.sizes(),
                " does not broadcast to ", at::IntArrayRef(full));
  }
}

}  // namespace

Sizes checked_sizes(const Inputs& in) {
  check_axes(in);
  const Sizes n{in.q.size(0), in.q.size(1), in.k.size(1), in.q.size(2),
                in.k.size(2), in.q.size(3), in.v.size(3)};
  check_positions(in, n);
  check_mask(in, n);
  return n;
}

std::optional<int64_t> causal_diagonal(bool causal, bool bottom_right, int64_t q_len,
                                       int64_t kv_len) {
  if (!causal) return std::nullopt;
  return bottom_right ? kv_len - q_len : 0;
}

}  // namespace attncheck::reference
