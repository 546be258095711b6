#include "properties/checks/coarse_grid.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <ATen/ops/tensor.h>
#include <c10/core/ScalarType.h>

#include "reference/roundoff.h"

namespace attncheck {
namespace {

// By chance an element lies on the grid with 2^-n, n the bits that the grid lacks: 2^-104 or less
// for float32 and float64, 2^-72 for float16 on bfloat16's. Three bits are also lost where parts
// cancel that were rounded in float16, and much more is lost then: only values that are as near the
// truth as the grid allows tell.
struct Grid {
  at::ScalarType dtype;
  size_t fewest;  // different magnitudes
  bool near = false;
};

std::vector<Grid> narrower(at::ScalarType dtype) {
  if (dtype == at::kDouble) return {{at::kFloat, 8}};
  if (dtype == at::kFloat) return {{at::kBFloat16, 8}, {at::kHalf, 8}};
  if (dtype == at::kHalf) return {{at::kBFloat16, 24, true}};
  return {};
}

struct Element {
  double value = 0, truth = 0;
};

// The elements at which |reference| > bound; below the normal numbers a dtype lacks bits itself.
std::vector<Element> significant(const at::Tensor& values, const double* reference,
                                 const double* bound) {
  const double least = reference::smallest_normal(values.scalar_type());
  const at::Tensor exact = values.to(at::kDouble).contiguous();
  const double* x = exact.const_data_ptr<double>();
  std::vector<Element> found;
  for (int64_t i = 0; i < exact.numel(); ++i) {
    const bool counts = std::abs(reference[i]) > bound[i] && std::abs(x[i]) >= least;
    if (counts && std::isfinite(x[i])) found.push_back({x[i], reference[i]});
  }
  return found;
}

bool lie_on(const std::vector<Element>& elements, at::ScalarType grid) {
  std::vector<double> values;
  for (const Element& element : elements) values.push_back(element.value);
  const at::Tensor exact = at::tensor(values, at::kDouble);
  return exact.equal(exact.to(grid).to(at::kDouble));
}

// Copies of one value say it once.
size_t count_magnitudes(const std::vector<Element>& elements) {
  std::set<double> magnitudes;
  for (const Element& element : elements) magnitudes.insert(std::abs(element.value));
  return magnitudes.size();
}

// Nine in ten are off by no more than two roundings to the grid.
bool lie_near(const std::vector<Element>& elements, at::ScalarType grid) {
  const double most = 2 * reference::unit_roundoff(grid);
  const auto near = std::count_if(elements.begin(), elements.end(), [most](const Element& e) {
    return std::abs(e.value - e.truth) <= most * std::abs(e.truth);
  });
  return 10 * near >= 9 * static_cast<int64_t>(elements.size());
}

}  // namespace

std::string coarser_grid(const at::Tensor& values, const at::Tensor& reference,
                         const at::Tensor& bound) {
  const at::Tensor truth = reference.contiguous(), allowed = bound.contiguous();
  const double *want = truth.const_data_ptr<double>(), *most = allowed.const_data_ptr<double>();
  const std::vector<Element> got = significant(values, want, most);
  const std::vector<Element> due = significant(truth.to(values.scalar_type()), want, most);
  for (const auto& [grid, fewest, near] : narrower(values.scalar_type())) {
    const bool coarse = lie_on(got, grid) && count_magnitudes(got) >= fewest;
    if (coarse && (!near || lie_near(got, grid)) && !lie_on(due, grid)) return c10::toString(grid);
  }
  return "";
}

}  // namespace attncheck
