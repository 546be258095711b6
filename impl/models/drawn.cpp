#include "impl/models/drawn.h"

#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "problem/fnv1a.h"

namespace attncheck {
namespace {

// Stafford's thirteenth variant of the finaliser of MurmurHash3.
uint64_t scrambled(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Draws {
 public:
  Draws(uint64_t seed, const std::string& name) : root_(scrambled(seed + 1) ^ fnv1a(name)) {}
  uint64_t number(int64_t place, uint64_t count) const {
    return scrambled(scrambled(root_) + static_cast<uint64_t>(place) * 0x9e3779b97f4a7c15u) % count;
  }

 private:
  uint64_t root_;
};

constexpr int64_t kMostSteps = 48;  // of 1/32

at::Tensor filled_with_draws(const Draws& draws, at::IntArrayRef sizes, double factor) {
  at::Tensor values = at::empty(sizes, at::kDouble);
  auto* value = values.mutable_data_ptr<double>();
  for (int64_t place = 0; place < values.numel(); ++place) {
    const auto steps = static_cast<double>(draws.number(place, 2 * kMostSteps + 1));
    value[place] = factor * (steps - kMostSteps) / 32;
  }
  return values;
}

double factor_for(int64_t columns) {
  return std::exp2(-std::round(0.5 * std::log2(static_cast<double>(columns))));
}

}  // namespace

at::Tensor drawn(uint64_t seed, const std::string& name, at::IntArrayRef sizes,
                 at::ScalarType dtype, double factor) {
  return filled_with_draws(Draws(seed, name), sizes, factor).to(dtype);
}

at::Tensor drawn_ids(uint64_t seed, const std::string& name, at::IntArrayRef sizes, int64_t count) {
  const Draws draws(seed, name);
  at::Tensor ids = at::empty(sizes, at::kLong);
  auto* id = ids.mutable_data_ptr<int64_t>();
  for (int64_t place = 0; place < ids.numel(); ++place) {
    id[place] = static_cast<int64_t>(draws.number(place, static_cast<uint64_t>(count)));
  }
  return ids;
}

void draw_parameters(torch::nn::Module& module, uint64_t seed) {
  const at::NoGradGuard no_grad;
  for (const auto& item : module.named_parameters()) {
    const at::Tensor& parameter = item.value();
    const bool is_vector = parameter.dim() == 1;
    const double factor = is_vector ? 0.25 : factor_for(parameter.size(-1));
    const at::Tensor values = drawn(seed, item.key(), parameter.sizes(), at::kDouble, factor);
    parameter.copy_(is_vector ? values + 1 : values);
  }
}

}  // namespace attncheck
