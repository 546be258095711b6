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

// How far results of narrower runs are from the exact ones, in the case's dtype.
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

Deviations worse_of(Deviations a, const Deviations& b) {
  for (auto& [name, deviation] : a.of) deviation = std::max(deviation, b.of.at(name));
  a.typical = std::max(a.typical, b.typical);
  return a;
}

// The case's own, or what stands for it.
DType narrow_dtype(DType dtype) {
  return dtype == DType::f64 ? DType::f32 : dtype;
}

// One whose roundings have nothing to do with those.
DType other_dtype(DType dtype) {
  return dtype == DType::f64 || dtype == DType::f32 ? DType::bf16 : DType::f32;
}

bool all_finite(const Tensors& results) {
  return std::all_of(results.begin(), results.end(), [](const auto& named) {
    return named.second.isfinite().all().template item<bool>();
  });
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
  const DType dtype = c.problem.dtype, narrow = narrow_dtype(dtype), other = other_dtype(dtype);
  const double roundoff = reference::unit_roundoff(scalar_type(dtype));
  SingleRank single;
  const auto results = [&](DType each, const std::string& backend) {
    Case one = on_one_rank(c, each);
    one.backend = backend;
    const Observation& observation = lab.observe(base_request(one));
    single.missing = ended_early(observation);
    return single.missing ? Tensors() : results_of(observation);
  };
  const auto measured = [&](DType each, const Tensors& of) {
    const double scale = roundoff / reference::unit_roundoff(scalar_type(each));
    return deviations(single.exact, of, scale);
  };
  single.exact = results(DType::f64, c.backend);
  if (single.missing) single.exact = results(DType::f64, Case{}.backend);
  if (single.missing) return single;
  const Tensors own = results(narrow, c.backend);
  if (single.missing) return single;
  Deviations worst = measured(narrow, own);
  const Tensors second = results(other, c.backend);
  if (!std::exchange(single.missing, std::nullopt) && all_finite(second)) {
    worst = worse_of(std::move(worst), measured(other, second));
  }
  single.bounds = bounds_of(single.exact, worst, roundoff);
  return single;
}

}  // namespace attncheck
