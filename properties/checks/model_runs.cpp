#include "properties/checks/model_runs.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>

#include "impl/contract/dtypes.h"
#include "properties/checks/judging.h"
#include "reference/roundoff.h"

namespace attncheck {
namespace {

// c of the header. Calibrated on 8,000 drawn cases of the three built-in models in float64,
// float32, bfloat16 and float16, on meshes up to 3x2: the farthest of any tensor was 6.1 (decoder,
// float64), of the other two models 4.8.
constexpr double kRunsApart = 16;

constexpr const char* kGradient = "gradient of ";

Case on_one_rank(const Case& c, DType dtype) {
  Case single = c;
  single.mesh = Mesh{};
  single.schedule.clear();
  single.rotate = Rotate::allgather;
  single.problem.dtype = dtype;
  single.problem.shards.clear();
  single.problem.layout = Layout::contiguous;
  return single;
}

using Tensors = std::map<std::string, at::Tensor>;

// Output, loss and gradients of the one rank, in float64.
Tensors results_of(const Observation& observation) {
  Tensors results;
  for (const auto& [name, tensor] : observation.ranks.front().tensors) {
    if (name == "out" || name == "loss" || name.starts_with(kGradient)) {
      results[name] = tensor.to(at::kDouble);
    }
  }
  return results;
}

double largest(const at::Tensor& x) {
  return x.numel() == 0 ? 0 : x.abs().max().item<double>();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How far the results of the narrower run are from the exact ones, in the case's dtype.
struct Deviations {
  std::map<std::string, double> of;  // by tensor
  double typical = 0;                // relative, of the gradients
  double largest_gradient = 0;
};

Deviations deviations(const Tensors& exact, const Tensors& narrow, double scale) {
  Deviations all;
  std::vector<double> relative;
  for (const auto& [name, tensor] : exact) {
    const double size = largest(tensor);
    const double deviation = scale * largest(narrow.at(name) - tensor);
    all.of[name] = deviation;
    if (!name.starts_with(kGradient)) continue;
    all.largest_gradient = std::max(all.largest_gradient, size);
    if (size > 0) relative.push_back(deviation / size);
  }
  all.typical = median(std::move(relative));
  return all;
}

std::map<std::string, double> bounds_of(const Tensors& exact, const Deviations& deviations,
                                        double roundoff) {
  std::map<std::string, double> bounds;
  for (const auto& [name, tensor] : exact) {
    const double size = largest(tensor);
    const double terms = name.starts_with(kGradient) ? deviations.largest_gradient : size;
    bounds[name] = kRunsApart *
                   std::max({deviations.of.at(name), deviations.typical * size, roundoff * terms});
  }
  return bounds;
}

}  // namespace

SingleRank single_rank(const Case& c, Lab& lab) {
  const DType dtype = c.problem.dtype;
  const DType narrow = dtype == DType::f64 ? DType::f32 : dtype;
  SingleRank single;
  std::vector<Tensors> results;
  for (DType each : {DType::f64, narrow}) {
    const Observation& observation = lab.observe(base_request(on_one_rank(c, each)));
    single.missing = ended_early(observation);
    if (single.missing) return single;
    results.push_back(results_of(observation));
  }
  const double roundoff = reference::unit_roundoff(scalar_type(dtype));
  const double scale = roundoff / reference::unit_roundoff(scalar_type(narrow));
  single.exact = std::move(results[0]);
  single.bounds = bounds_of(single.exact, deviations(single.exact, results[1], scale), roundoff);
  return single;
}

}  // namespace attncheck
