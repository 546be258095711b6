#include "properties/masks.h"

#include <limits>

#include <ATen/ops/empty.h>

#include "impl/contract/dtypes.h"
#include "properties/element.h"
#include "properties/key_edits.h"
#include "properties/values_by_place.h"

namespace attncheck {
namespace {

constexpr int64_t kRun = 4;  // neighbouring keys that are hidden together

// The axes of a mask, beside that of the keys, which it has always and that of the batch.
struct Axes {
  bool heads, queries;
};

Axes axes_of(const Problem& p) {
  return {p.mask_axes == MaskAxes::bhqk,
          p.mask_axes == MaskAxes::bhqk || p.mask_axes == MaskAxes::b1qk};
}

bool one_in(const Element& element, int64_t n) {
  return element.integer(0, n - 1) == 0;
}

// The elements of a case's mask.
class MaskValues {
 public:
  explicit MaskValues(const Case& c)
      : root_(c.seed, kMask),
        axes_(axes_of(c.problem)),
        batches_(c.problem.view == View::expanded ? 1 : c.problem.batch) {}

  bool shows(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const Element row = row_of(b, h, i);
    if (axes_.queries && one_in(row, 8)) return false;
    if (one_in(root_.at(b % batches_).at(-1).at(j / kRun), 4)) return false;
    return !one_in(row.at(j).at(0), 4);
  }

  double moves(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (!shows(b, h, i, j)) return -std::numeric_limits<double>::infinity();
    return row_of(b, h, i).at(j).at(1).normal();
  }

 private:
  Element row_of(int64_t b, int64_t h, int64_t i) const {
    return root_.at(b % batches_).at(axes_.heads ? h : 0).at(axes_.queries ? i : 0);
  }

  Element root_;
  Axes axes_;
  int64_t batches_;
};

// Calls `put` for every element of a (B, H|1, Sq|1, Skv) mask, row by row.
template <typename Put>
void for_each_element(const Request& request, const std::vector<int64_t>& queries, const Put& put) {
  const Problem p = effective_case(request).problem;
  const Axes axes = axes_of(p);
  const std::vector<int64_t> rows = axes.queries ? queries : std::vector<int64_t>{0};
  const std::vector<int64_t> keys = key_sources(request);
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t h = 0; h < (axes.heads ? p.heads : 1); ++h)
      for (const int64_t i : rows)
        for (const int64_t j : keys) put(b, h, i, j);
}

std::vector<int64_t> shape_of(const Problem& p, int64_t queries) {
  if (p.mask_axes == MaskAxes::bk) return {p.batch, p.kv_len};
  const Axes axes = axes_of(p);
  return {p.batch, axes.heads ? p.heads : 1, axes.queries ? queries : 1, p.kv_len};
}

}  // namespace

at::Tensor mask_of(const Request& request, const std::vector<int64_t>& queries) {
  const Problem p = effective_case(request).problem;
  if (p.mask == Mask::none) return {};
  const MaskValues values(request.case_);
  const auto shape = shape_of(p, static_cast<int64_t>(queries.size()));
  if (p.mask == Mask::boolean) {
    at::Tensor mask = at::empty(shape, at::kBool);
    bool* out = mask.data_ptr<bool>();
    for_each_element(request, queries, [&](int64_t b, int64_t h, int64_t i, int64_t j) {
      *out++ = values.shows(b, h, i, j);
    });
    return mask;
  }
  at::Tensor mask = at::empty(shape, at::kDouble);
  double* out = mask.data_ptr<double>();
  for_each_element(request, queries, [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    *out++ = values.moves(b, h, i, j);
  });
  return mask.to(scalar_type(p.dtype));
}

at::Tensor of_four_axes(const at::Tensor& mask) {
  return mask.defined() && mask.dim() == 2 ? mask.unsqueeze(1).unsqueeze(1) : mask;
}

bool mask_shows(const Case& c, int64_t b, int64_t h, int64_t i, int64_t j) {
  return c.problem.mask == Mask::none || MaskValues(c).shows(b, h, i, j);
}

}  // namespace attncheck
