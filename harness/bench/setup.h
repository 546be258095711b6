#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/registry.h"
#include "harness/run_lab.h"

namespace attncheck::bench {

// What the measurements need from the program.
struct BenchSetup {
  const Registry& registry;  // with ring, ulysses and unified, on math; its properties judge
  std::vector<std::string> rank_command;  // of Gloo's ranks: ends in serve_rank_process()
  std::optional<int> repetitions;         // instead of what each measurement would take
  // The words of a case for all that has no size of its own.
  std::string usual_case = "impl=unified mesh=2x2 q=16 h=4 d=8 seed=1";
};

// The simulated mesh alone.
std::map<std::string, std::shared_ptr<Transport>> sim_transports(const Registry& registry);

// A lab on the simulated mesh alone, that nobody else uses.
std::shared_ptr<RunLab> sim_lab(const Registry& registry);

// One lab by lane, each with simulated worlds of its own.
std::vector<std::shared_ptr<RunLab>> sim_labs(const Registry& registry, size_t lanes);

Request usual_request(const BenchSetup& setup, const std::string& transport = "sim");

// Runs the request, and computes what it should have given.
void observe_once(RunLab& lab, const Request& request);

}  // namespace attncheck::bench
