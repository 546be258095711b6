#include <fmt/format.h>

#include "harness/bench/interleaved.h"
#include "harness/bench/lanes_of_runs.h"
#include "harness/bench/measurements.h"
#include "harness/process_transport.h"
#include "sim/affinity.h"

namespace attncheck::bench {
namespace {

constexpr int kFreshSets = 7, kCompared = 11;
constexpr int64_t kRunsOfAPersistentSet = 30, kRunsCompared = 30;

std::shared_ptr<RunLab> gloo_lab(const BenchSetup& setup) {
  ProcessOptions options;
  options.rank_command = setup.rank_command;
  std::map<std::string, std::shared_ptr<Transport>> transports;
  transports["gloo"] = std::make_shared<ProcessTransport>(std::move(options));
  return std::make_shared<RunLab>(setup.registry, std::move(transports));
}

void observe_many(RunLab& lab, const Request& request, int64_t runs) {
  for (int64_t run = 0; run < runs; ++run) observe_once(lab, request);
}

Measured gloo_processes(const BenchSetup& setup, const Budget& budget) {
  const Request request = usual_request(setup, "gloo");
  const std::shared_ptr<RunLab> kept = gloo_lab(setup);
  const Interleaved times = interleaved(
      setup.repetitions.value_or(kFreshSets), [&] { observe_once(*gloo_lab(setup), request); },
      [&] { observe_many(*kept, request, kRunsOfAPersistentSet); });
  std::vector<double> ratios;
  for (double ratio : times.ratios) ratios.push_back(ratio * double(kRunsOfAPersistentSet));
  return measured(budget, ratios,
                  fmt::format("fresh processes {} a case, kept ones {}", milliseconds(times.over),
                              milliseconds(times.under / double(kRunsOfAPersistentSet))));
}

// The processes of a rank set inherit the core of the thread that starts them.
Measured sim_against_gloo(const BenchSetup& setup, const Budget& budget) {
  const sim::CorePin pin(sim::current_core());
  const std::shared_ptr<RunLab> sim = sim_lab(setup.registry), gloo = gloo_lab(setup);
  const Request on_sim = usual_request(setup), on_gloo = usual_request(setup, "gloo");
  const Interleaved times = interleaved(
      setup.repetitions.value_or(kCompared), [&] { observe_many(*gloo, on_gloo, kRunsCompared); },
      [&] { observe_many(*sim, on_sim, kRunsCompared); });
  return measured(budget, times.ratios,
                  fmt::format("gloo {} a case, sim {}, each on one core",
                              milliseconds(times.over / double(kRunsCompared)),
                              milliseconds(times.under / double(kRunsCompared))));
}

// Gloo has all the cores that there are.
Measured two_lanes_against_gloo(const BenchSetup& setup, const Budget& budget) {
  LanesOfRuns lanes(setup.registry, 2);
  const std::shared_ptr<RunLab> gloo = gloo_lab(setup);
  const Request on_sim = usual_request(setup), on_gloo = usual_request(setup, "gloo");
  const Interleaved times = interleaved(
      setup.repetitions.value_or(kCompared), [&] { observe_many(*gloo, on_gloo, kRunsCompared); },
      [&] { lanes.observe(on_sim, kRunsCompared); });
  return measured(budget, times.ratios,
                  fmt::format("gloo {} a case on all cores, two lanes of sim {}",
                              milliseconds(times.over / double(kRunsCompared)),
                              milliseconds(times.under / double(kRunsCompared))));
}

}  // namespace

std::vector<Measurement> transport_measurements() {
  return {
      {{"gloo_processes", "a fresh set of Gloo processes a case, against a kept one", 50, false},
       gloo_processes},
      {{"sim_against_gloo", "a case on gloo against one on sim, one core each", 3, false},
       sim_against_gloo},
      {{"two_lanes_against_gloo", "a case on gloo against one on two lanes of sim", 6, false},
       two_lanes_against_gloo},
  };
}

}  // namespace attncheck::bench
