#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/bench/budget.h"
#include "harness/bench/setup.h"

namespace attncheck::bench {

struct Measurement {
  Budget budget;
  std::function<Measured(const BenchSetup&, const Budget&)> measure;
};

// The harness's own cost, on a simulated mesh: `observed_run`, `whole_check`.
std::vector<Measurement> overhead_measurements();
// How transports compare: `gloo_processes`, `sim_against_gloo`, `two_lanes_against_gloo`.
std::vector<Measurement> transport_measurements();
// What more ranks and more lanes cost: `large_world`, `two_lanes`.
std::vector<Measurement> scaling_measurements();
// The implementations against attention on one rank: `ring`, `ulysses`, `unified`.
std::vector<Measurement> method_measurements();

// The budgets of the design, in its order.
std::vector<Measurement> all_measurements();

// Thrown by `measure`: why there is nothing to measure here.
struct NotMeasurable {
  std::string why;
};

// Measures each in turn, each told before it starts. One that throws NotMeasurable or a
// std::runtime_error is not_run, with the reason. The calling thread is one that nothing else
// uses; the process has one intra-op thread.
std::vector<Measured> measure_all(const std::vector<Measurement>& measurements,
                                  const BenchSetup& setup,
                                  const std::function<void(const std::string& name)>& progress);

// "over 1.21 ms, under 1.00 ms".
Measured measured(const Budget& budget, const std::vector<double>& ratios,
                  const std::string& details);
std::string milliseconds(double seconds);

}  // namespace attncheck::bench
