#pragma once

#include <cstdint>

#include "harness/bench/setup.h"
#include "harness/drive/lanes.h"

namespace attncheck::bench {

// Lanes of cases, as a check has them, each with a simulated mesh of its own on a core of its own.
class LanesOfRuns {
 public:
  // Throws NotMeasurable when there are fewer cores than lanes.
  LanesOfRuns(const Registry& registry, size_t lanes);

  // Runs the request that often, with its reference, wherever a lane is free; a job is some runs.
  void observe(const Request& request, int64_t runs);

 private:
  std::vector<std::shared_ptr<RunLab>> labs_;
  Lanes lanes_;
};

}  // namespace attncheck::bench
