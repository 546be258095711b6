#include <fmt/format.h>

#include "harness/bench/interleaved.h"
#include "harness/bench/lanes_of_runs.h"
#include "harness/bench/measurements.h"
#include "problem/case_text.h"
#include "sim/affinity.h"

namespace attncheck::bench {
namespace {

constexpr int kWorlds = 7, kLaneRuns = 11;
constexpr int64_t kRunsOfLanes = 200;
constexpr int kSmallWorld = 4, kLargeWorld = 64;
constexpr int64_t kRunsOfTheSmallWorld = 64;

// Four tokens a rank.
Request ring_of(int world) {
  return base_request(parse_case(
      fmt::format("impl=ring mesh={}x1 q={} h=4 d=8 rotate=p2p seed=1", world, 4 * world)));
}

// The runs alone: the reference grows with the square of the sequence, whoever shares it.
void run_alone(RunLab& lab, const Request& request) {
  lab.forget();
  lab.observe(request);
}

// A ring of W ranks takes W steps on each.
double per_rank_and_step(double seconds, int world) {
  return seconds / (double(world) * world);
}

Measured large_world(const BenchSetup& setup, const Budget& budget) {
  const sim::CorePin pin(sim::current_core());
  const std::shared_ptr<RunLab> lab = sim_lab(setup.registry);
  const Request large = ring_of(kLargeWorld), small = ring_of(kSmallWorld);
  const Interleaved times = interleaved(
      setup.repetitions.value_or(kWorlds), [&] { run_alone(*lab, large); },
      [&] {
        for (int64_t run = 0; run < kRunsOfTheSmallWorld; ++run) run_alone(*lab, small);
      });
  const double share =
      per_rank_and_step(1, kLargeWorld) / per_rank_and_step(1, kSmallWorld) * kRunsOfTheSmallWorld;
  std::vector<double> ratios;
  for (double ratio : times.ratios) ratios.push_back(ratio * share);
  return measured(budget, ratios,
                  fmt::format("64 ranks {} a run, 4 ranks {}", milliseconds(times.over),
                              milliseconds(times.under / kRunsOfTheSmallWorld)));
}

Measured two_lanes(const BenchSetup& setup, const Budget& budget) {
  LanesOfRuns two(setup.registry, 2);
  LanesOfRuns one(setup.registry, 1);
  const Request request = usual_request(setup);
  const sim::CorePin pin(sim::granted_cores().front());  // where a single lane works
  const Interleaved times = interleaved(
      setup.repetitions.value_or(kLaneRuns), [&] { one.observe(request, kRunsOfLanes); },
      [&] { two.observe(request, kRunsOfLanes); });
  return measured(budget, times.ratios,
                  fmt::format("{} runs: one lane {}, two lanes {}", kRunsOfLanes,
                              milliseconds(times.over), milliseconds(times.under)));
}

}  // namespace

std::vector<Measurement> scaling_measurements() {
  return {
      {{"large_world", "sim with 64 ranks against 4, a rank and step of a ring", 2, true},
       large_world},
      {{"two_lanes", "one lane of cases against two on two cores", 1.7, false}, two_lanes},
  };
}

}  // namespace attncheck::bench
