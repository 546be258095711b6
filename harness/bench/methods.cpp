#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "harness/bench/interleaved.h"
#include "harness/bench/loopback.h"
#include "harness/bench/measurements.h"
#include "harness/make_groups.h"
#include "impl/contract/attention_options.h"
#include "problem/case_text.h"
#include "properties/inputs.h"
#include "sim/affinity.h"
#include "sim/world.h"

namespace attncheck::bench {
namespace {

constexpr int kRunsOfAMethod = 5;
// Long enough that the products, not the calls, are what is paid for, and that a shard of a ring
// still fills the blocks of the kernel: that is a length for which people shard at all.
constexpr const char* kLongProblem = "backend=flash_cpu q=4096 h=8 d=64 dtype=f32 seed=1";

// An attention with what every rank holds of a problem, drawn once.
class MethodRun {
 public:
  MethodRun(const Registry& registry, const std::string& impl, const std::string& mesh,
            const std::string& problem = kLongProblem)
      : case_(parse_case(fmt::format("impl={} mesh={} {}", impl, mesh, problem))),
        implementation_(registry.implementation(impl)),
        backend_(registry.backend(case_.backend)) {
    if (implementation_ == nullptr) throw NotMeasurable{"there is no " + impl};
    if (backend_ == nullptr) throw NotMeasurable{"there is no backend " + case_.backend};
    for (int rank = 0; rank < case_.mesh.world(); ++rank) {
      ranks_.push_back(rank_inputs(base_request(case_), rank));
    }
  }

  const Mesh& mesh() const { return case_.mesh; }

  // Forward and backward of one rank.
  void operator()(const MeshGroups& groups) const {
    const InputTensors& inputs = ranks_[groups.rank];
    const auto leaf = [](const at::Tensor& x) { return x.detach().requires_grad_(true); };
    const at::Tensor q = leaf(inputs.q), k = leaf(inputs.k), v = leaf(inputs.v);
    const Attention attention =
        implementation_->attention(q, k, v, attention_options(case_, *backend_), groups);
    torch::autograd::grad({attention.out}, {q, k, v}, {inputs.dout});
  }

 private:
  Case case_;
  const Implementation* implementation_;
  const Backend* backend_;
  std::vector<InputTensors> ranks_;
};

void run_on_ranks(sim::World& world, const MethodRun& method) {
  const auto errors = world.run([&](sim::RankContext& rank) {
    method(make_groups(method.mesh(), whole_world(method.mesh()), rank));
  });
  for (const auto& error : errors) TORCH_CHECK(!error, *error);
}

// All ranks of the mesh on one core, against one rank in this thread.
Measured method(const BenchSetup& setup, const Budget& budget, const std::string& mesh) {
  const sim::CorePin pin(sim::current_core());
  const MethodRun sharded(setup.registry, budget.name, mesh);
  const MethodRun whole(setup.registry, "unified", "1x1");
  sim::World world(sharded.mesh().world());
  const MeshGroups alone = loopback_groups(whole.mesh(), 0);
  const Interleaved times = interleaved(
      setup.repetitions.value_or(kRunsOfAMethod), [&] { run_on_ranks(world, sharded); },
      [&] { whole(alone); });
  return measured(budget, times.ratios,
                  fmt::format("{} on {} {}, one rank {}; {}", budget.name, mesh,
                              milliseconds(times.over), milliseconds(times.under), kLongProblem));
}

// Both on all ranks of the mesh, on one core.
Measured zigzag(const BenchSetup& setup, const Budget& budget) {
  const sim::CorePin pin(sim::current_core());
  const std::string problem = kLongProblem;
  const MethodRun causal(setup.registry, "ring", "4x1", problem + " causal=1 layout=zigzag");
  const MethodRun every_pair(setup.registry, "ring", "4x1", problem);
  sim::World world(causal.mesh().world());
  const Interleaved times = interleaved(
      setup.repetitions.value_or(kRunsOfAMethod), [&] { run_on_ranks(world, causal); },
      [&] { run_on_ranks(world, every_pair); });
  return measured(budget, times.ratios,
                  fmt::format("causal {}, not causal {}; ring on 4x1 {}", milliseconds(times.over),
                              milliseconds(times.under), problem));
}

Measurement measurement_of(const std::string& name, const std::string& mesh) {
  return {
      {name, name + " against attention on one rank, forward and backward, one thread", 1.3, true},
      [mesh](const BenchSetup& setup, const Budget& budget) {
        return method(setup, budget, mesh);
      }};
}

}  // namespace

std::vector<Measurement> method_measurements() {
  return {measurement_of("ring", "4x1"),
          measurement_of("ulysses", "1x4"),
          measurement_of("unified", "2x2"),
          {{"zigzag", "a causal ring of zigzag shards against one that is not causal", 0.65, true},
           zigzag}};
}

}  // namespace attncheck::bench
