#include "properties/checks/coarse_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <ATen/ops/from_blob.h>
#include <c10/core/ScalarType.h>

#include "reference/roundoff.h"

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

// The elements at which |reference| > bound; below the normal numbers a dtype lacks bits itself.
std::vector<double> significant(const at::Tensor& values, const double* reference,
                                const double* bound) {
  const double least = reference::smallest_normal(values.scalar_type());
  const at::Tensor exact = values.to(at::kDouble).contiguous();
  const double* x = exact.const_data_ptr<double>();
  std::vector<double> found;
  for (int64_t i = 0; i < exact.numel(); ++i) {
    if (std::abs(reference[i]) > bound[i] && std::abs(x[i]) >= least && std::isfinite(x[i]))
      found.push_back(x[i]);
  }
  return found;
}

bool lie_on(const std::vector<double>& values, at::ScalarType grid) {
  const at::Tensor exact =
      at::from_blob(const_cast<double*>(values.data()), {int64_t(values.size())}, at::kDouble);
  return exact.equal(exact.to(grid).to(at::kDouble));
}

// Of the last bit of a finite number that is not 0.
int last_exponent(double x) {
  int exponent = 0;
  const auto bits = static_cast<uint64_t>(std::ldexp(std::frexp(std::abs(x), &exponent), 53));
  return exponent - 53 + std::countr_zero(bits);
}

// Different magnitudes (copies of one value say it once) that show a rounding to the grid: the
// values together have a bit in a place that the grid lacks at this magnitude. Where they have
// none, they are multiples of one number, as differences of rounded parts are.
size_t count_telling(const std::vector<double>& values, at::ScalarType grid) {
  int last = std::numeric_limits<int>::max();
  for (const double x : values) last = std::min(last, last_exponent(x));
  const int digits = -std::ilogb(reference::unit_roundoff(grid));
  std::set<double> magnitudes;
  for (const double x : values) {
    if (std::ilogb(x) - digits >= last) magnitudes.insert(std::abs(x));
  }
  return magnitudes.size();
}

}  // namespace

std::string coarser_grid(const at::Tensor& values, const at::Tensor& reference,
                         const at::Tensor& bound) {
  const at::Tensor truth = reference.contiguous(), allowed = bound.contiguous();
  const double *want = truth.const_data_ptr<double>(), *most = allowed.const_data_ptr<double>();
  const std::vector<double> got = significant(values, want, most);
  const std::vector<double> due = significant(truth.to(values.scalar_type()), want, most);
  for (const auto& [grid, fewest] : narrower(values.scalar_type())) {
    const bool coarse = lie_on(got, grid) && count_telling(got, grid) >= fewest;
    if (coarse && !lie_on(due, grid)) return c10::toString(grid);
  }
  return "";
}

}  // namespace attncheck
