#include "tests/impl/problems_testing.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "impl/backends/built_in.h"
#include "reference/dense_attention.h"

namespace attncheck::testing {
namespace {

// Threads that wait for tiny work cost ten times the work.
const bool kOneThread = (at::set_num_threads(1), true);

std::vector<int64_t> positions(int64_t count) {
  std::vector<int64_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

Backend built_in_backend(const std::string& name) {
  for (Backend& backend : built_in_backends()) {
    if (backend.name == name) return std::move(backend);
  }
  TORCH_CHECK(false, "there is no backend ", name);
}

at::Tensor normal(const std::vector<int64_t>& sizes, uint64_t seed, at::ScalarType type) {
  return at::randn(sizes, at::detail::createCPUGenerator(seed), at::TensorOptions(at::kDouble))
      .to(type);
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.sizes() == b.sizes(), a.sizes(), " against ", b.sizes());
  const at::Tensor x = a.to(at::kDouble), y = b.to(at::kDouble);
  if (x.numel() == 0) return 0.0;
  const at::Tensor gap = at::where(x == y, at::zeros_like(x), (x - y).abs());
  const double largest = gap.max().item<double>();
  return std::isnan(largest) ? std::numeric_limits<double>::infinity() : largest;
}

Whole whole(const Sizes& s, std::optional<int64_t> diagonal, at::ScalarType type) {
  Whole w;
  w.inputs.q = normal({s.batch, s.q_len, s.heads, s.head_dim}, 1, type);
  w.inputs.k = normal({s.batch, s.kv_len, s.kv_heads, s.head_dim}, 2, type);
  w.inputs.v = normal({s.batch, s.kv_len, s.kv_heads, s.v_head_dim}, 3, type);
  w.inputs.scale = 0.7;
  w.inputs.diagonal = diagonal;
  w.grad_out = normal({s.batch, s.q_len, s.heads, s.v_head_dim}, 4, type);
  w.grad_lse = normal({s.batch, s.q_len, s.heads}, 5, type == at::kDouble ? type : at::kFloat);
  return w;
}

Expected expected(const Whole& w) {
  reference::Inputs inputs;
  inputs.q = w.inputs.q;
  inputs.k = w.inputs.k;
  inputs.v = w.inputs.v;
  inputs.scale = w.inputs.scale;
  inputs.mask = w.inputs.mask;
  inputs.diagonal = w.inputs.diagonal;
  inputs.q_positions = positions(w.inputs.q.size(1));
  inputs.kv_positions = positions(w.inputs.k.size(1));
  const auto forward = reference::forward(inputs);
  const auto grads = reference::vjp(inputs, w.grad_out, w.grad_lse);
  return {forward.out, forward.lse, grads.dq, grads.dk, grads.dv};
}

}  // namespace attncheck::testing
