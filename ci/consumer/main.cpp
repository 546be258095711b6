// Runs the ring on simulated ranks against the reference, with what the package installs. Exit
// status 1 when a value is wrong, and when a wrong value would not be seen.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "impl/backends/math.h"
#include "impl/contract/context_parallel_config.h"
#include "impl/ring/ring_attention.h"
#include "problem/case_text.h"
#include "reference/dense_attention.h"
#include "sim/world.h"

namespace {

constexpr double kTolerance = 1e-12;  // float64, sums of six terms of about one

struct Tensors {
  at::Tensor q, k, v;  // (B, S, H, D)
};

Tensors draw(const attncheck::Problem& p) {
  return {at::randn({p.batch, p.q_len, p.heads, p.head_dim}, at::kDouble),
          at::randn({p.batch, p.kv_len, p.kv_heads, p.head_dim}, at::kDouble),
          at::randn({p.batch, p.kv_len, p.kv_heads, p.head_dim}, at::kDouble)};
}

at::Tensor by_ring(const attncheck::Case& c, const Tensors& whole) {
  const attncheck::Backend backend = attncheck::math_backend();
  const attncheck::Implementation ring = attncheck::ring_implementation();
  attncheck::AttentionOptions options;
  options.backend = &backend;
  options.scale = 0.5;
  options.q_len = c.problem.q_len;
  options.kv_len = c.problem.kv_len;
  attncheck::config_of(c).fill(options);
  std::vector<at::Tensor> shards(c.mesh.world());
  attncheck::sim::World world(c.mesh.world());
  const auto errors = world.run([&](attncheck::sim::RankContext& context) {
    const int rank = context.rank();
    const attncheck::MeshGroups groups{context.group(c.mesh.world_members()),
                                       context.group(c.mesh.ring_members(rank)),
                                       context.group(c.mesh.ulysses_members(rank)), c.mesh, rank};
    const auto mine = [&](const at::Tensor& t) { return t.chunk(c.mesh.ring, 1)[rank]; };
    shards[rank] = ring.attention(mine(whole.q), mine(whole.k), mine(whole.v), options, groups).out;
  });
  for (const auto& error : errors) {
    if (error) std::printf("a rank threw: %s\n", error->c_str()), std::exit(1);
  }
  return at::cat(shards, 1);
}

at::Tensor by_reference(const Tensors& whole) {
  attncheck::reference::Inputs inputs;
  inputs.q = whole.q;
  inputs.k = whole.k;
  inputs.v = whole.v;
  inputs.scale = 0.5;
  return attncheck::reference::forward(inputs).out;
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace

int main() {
  const attncheck::Case c = attncheck::parse_case("impl=ring mesh=3x1 q=6 h=2 d=4");
  for (const auto& fault : faults_of(attncheck::config_of(c), /*world_size=*/3, &c.problem)) {
    std::printf("%s\n", fault.c_str()), std::exit(1);
  }
  const Tensors whole = draw(c.problem);
  const at::Tensor expected = by_reference(whole);
  const double error = distance(by_ring(c, whole), expected);
  const double planted = distance(by_ring(c, {whole.q, whole.k, whole.v + 1e-6}), expected);
  std::printf("%s: error %.3g, with a planted fault %.3g\n", attncheck::to_text(c).c_str(), error,
              planted);
  return error < kTolerance && planted > kTolerance ? 0 : 1;
}
