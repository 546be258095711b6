#include "properties/checks/coarse_grid.h"

#include <cmath>
#include <set>
#include <vector>

#include <c10/core/ScalarType.h>

namespace attncheck {
namespace {

// By chance an element lies on the grid with 2^-n, n the bits that the grid lacks: 2^-104 or less
// for float32 and float64, 2^-72 for float16 on bfloat16's.
struct Grid {
  at::ScalarType dtype;
  size_t fewest;  // different magnitudes
};

std::vector<Grid> narrower(at::ScalarType dtype) {
  if (dtype == at::kDouble) return {{at::kFloat, 8}};
  if (dtype == at::kFloat) return {{at::kBFloat16, 8}, {at::kHalf, 8}};
  if (dtype == at::kHalf) return {{at::kBFloat16, 24}};
  return {};
}

// Of the elements of `values` at which |reference| > bound, their magnitudes (copies of one value
// say it once), and whether all of them lie on the grid.
struct Count {
  std::set<double> above;
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
    count.above.insert(std::abs(x[i]));
    if (x[i] == r[i]) continue;
    count.on_grid = false;
    break;
  }
  return count;
}

}  // namespace

std::string coarser_grid(const at::Tensor& values, const at::Tensor& reference,
                         const at::Tensor& bound) {
  const at::Tensor truth = reference.contiguous(), allowed = bound.contiguous();
  const double *want = truth.const_data_ptr<double>(), *most = allowed.const_data_ptr<double>();
  for (const auto& [grid, fewest] : narrower(values.scalar_type())) {
    const Count got = count_above(values, grid, want, most);
    if (!got.on_grid || got.above.size() < fewest) continue;
    if (!count_above(truth.to(values.scalar_type()), grid, want, most).on_grid) {
      return c10::toString(grid);
    }
  }
  return "";
}

}  // namespace attncheck
