#include "properties/merge_inputs.h"

#include <limits>

#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "impl/contract/dtypes.h"
#include "properties/element.h"
#include "properties/values_by_place.h"

namespace attncheck {
namespace {

constexpr double kGap = 1000;
// Where the weight of the lesser partial lies around the last bit of the greater, in each dtype.
constexpr int64_t kLeastWeight = 4, kLastBit = 40;
constexpr double kSteps = 1 << 20;

double gap_of_some_weight(const Element& row) {
  const auto steps = static_cast<int64_t>(kSteps);
  return static_cast<double>(row.integer(kLeastWeight * steps, kLastBit * steps)) / kSteps;
}

double drawn_lse(const Element& row) {
  switch (row.at(0).integer(0, 7)) {
    case 0:
    case 1:
      return -std::numeric_limits<double>::infinity();
    case 2:
      return row.at(1).normal() + kGap;
    case 3:
      return row.at(1).normal() - kGap;
    case 4:
      return gap_of_some_weight(row.at(2));
    case 5:
      return -gap_of_some_weight(row.at(2));
    default:
      return row.at(1).normal();
  }
}

Partial drawn_partial(const Case& c, int64_t index) {
  const Problem& p = c.problem;
  const Element out_root = Element(c.seed, kPartialOut).at(index);
  const Element lse_root = Element(c.seed, kPartialLse).at(index);
  Partial partial{at::empty({p.batch, p.q_len, p.heads, p.v_head_dim}, at::kDouble),
                  at::empty({p.batch, p.q_len, p.heads}, at::kDouble)};
  double* out = partial.out.data_ptr<double>();
  double* lse = partial.lse.data_ptr<double>();
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t s = 0; s < p.q_len; ++s)
      for (int64_t h = 0; h < p.heads; ++h) {
        const double value = *lse++ = drawn_lse(lse_root.at(b).at(s).at(h));
        const bool empty = value == -std::numeric_limits<double>::infinity();
        const Element row = out_root.at(b).at(s).at(h);
        for (int64_t d = 0; d < p.v_head_dim; ++d) *out++ = empty ? 0 : row.at(d).normal();
      }
  const at::ScalarType dtype = scalar_type(p.dtype);
  return {partial.out.to(dtype), partial.lse.to(lse_scalar_type(dtype))};
}

}  // namespace

std::vector<Partial> merge_inputs(const Case& c) {
  std::vector<Partial> partials;
  for (int64_t i = 0; i < c.problem.kv_len; ++i) partials.push_back(drawn_partial(c, i));
  return partials;
}

reference::Inputs dense_inputs(const std::vector<Partial>& partials) {
  std::vector<at::Tensor> values, scores;
  for (const Partial& partial : partials) {
    values.push_back(partial.out.to(at::kDouble).reshape({-1, 1, partial.out.size(3)}));
    scores.push_back(partial.lse.to(at::kDouble).reshape({-1, 1, 1}));
  }
  reference::Inputs inputs;
  inputs.v = at::stack(values, 1);
  inputs.mask = at::stack(scores, -1);
  const int64_t rows = inputs.v.size(0), keys = inputs.v.size(1);
  inputs.q = at::zeros({rows, 1, 1, 1}, at::kDouble);
  inputs.k = at::zeros({rows, keys, 1, 1}, at::kDouble);
  return inputs;
}

}  // namespace attncheck
