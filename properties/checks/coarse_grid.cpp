#include "properties/checks/coarse_grid.h"

#include <cmath>
#include <vector>

#include <c10/core/ScalarType.h>

namespace attncheck {
namespace {

constexpr int64_t kFewest = 8;

std::vector<at::ScalarType> narrower(at::ScalarType dtype) {
  if (dtype == at::kDouble) return {at::kFloat};
  if (dtype == at::kFloat) return {at::kBFloat16, at::kHalf};
  return {};
}

// Of the elements of `values` at which |reference| > bound, how many there are, and whether all of
// them lie on the grid.
struct Count {
  int64_t above = 0;
  bool on_grid = true;
};

Count count_above(const at::Tensor& values, at::ScalarType grid, const double* reference,
                  const double* bound) {
  const at::Tensor exact = values.to(at::kDouble).contiguous();
  const at::Tensor rounded = exact.to(grid).to(at::kDouble);
  const double *x = exact.const_data_ptr<double>(), *r = rounded.const_data_ptr<double>();
  Count count;
  for (int64_t i = 0; i < exact.numel(); ++i) {
    if (!(std::abs(reference[i]) > bound[i]) || x[i] == 0) continue;
    ++count.above;
    count.on_grid = count.on_grid && x[i] == r[i];
  }
  return count;
}

}  // namespace

std::string coarser_grid(const at::Tensor& values, const at::Tensor& reference,
                         const at::Tensor& bound) {
  const at::Tensor truth = reference.contiguous(), allowed = bound.contiguous();
  const double *want = truth.const_data_ptr<double>(), *most = allowed.const_data_ptr<double>();
  for (at::ScalarType grid : narrower(values.scalar_type())) {
    const Count got = count_above(values, grid, want, most);
    if (got.above < kFewest || !got.on_grid) continue;
    if (!count_above(truth.to(values.scalar_type()), grid, want, most).on_grid) {
      return c10::toString(grid);
    }
  }
  return "";
}

}  // namespace attncheck
