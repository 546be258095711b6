#include "harness/bench/lanes_of_runs.h"

#include <fmt/format.h>

#include "harness/bench/measurements.h"
#include "sim/affinity.h"

namespace attncheck::bench {
namespace {

constexpr int64_t kRunsOfAJob = 5;  // about as many as the properties of a case ask for

std::vector<std::shared_ptr<RunLab>> labs_on_cores(const Registry& registry, size_t lanes) {
  const size_t cores = sim::granted_cores().size();
  if (cores < lanes) {
    throw NotMeasurable{fmt::format("needs {} cores, this process has {}", lanes, cores)};
  }
  return sim_labs(registry, lanes);
}

std::vector<LaneLab> lane_labs(const std::vector<std::shared_ptr<RunLab>>& labs) {
  std::vector<LaneLab> lanes;
  for (const auto& lab : labs) lanes.push_back({lab, [lab] { lab->forget(); }});
  return lanes;
}

}  // namespace

LanesOfRuns::LanesOfRuns(const Registry& registry, size_t lanes)
    : labs_(labs_on_cores(registry, lanes)), lanes_(lane_labs(labs_)) {}

void LanesOfRuns::observe(const Request& request, int64_t runs) {
  std::vector<std::future<void>> jobs;
  for (int64_t run = 0; run < runs; run += kRunsOfAJob) {
    jobs.push_back(lanes_.post([&request](LaneLab& lane) {
      for (int64_t i = 0; i < kRunsOfAJob; ++i) {
        lane.forget();
        lane.lab->observe(request);
        lane.lab->expected(request);
      }
    }));
  }
  for (std::future<void>& job : jobs) job.get();
}

}  // namespace attncheck::bench
