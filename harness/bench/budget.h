#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/bench/spread.h"

namespace attncheck::bench {

// A bound on a ratio, as the design states it.
struct Budget {
  std::string name;  // one word, for --budget
  std::string what;  // what is divided by what
  double limit = 0;
  bool at_most = true;  // false: at least
};

// A budget and what was measured of it.
struct Measured {
  Budget budget;
  std::optional<Spread> ratio;  // of two times
  std::string not_run;          // without a ratio: why it cannot be measured here
  std::string details;          // the two times, with units

  // By the median: "met", "missed", or "not_run".
  std::string verdict() const;
};

struct BenchReport {
  std::string version, libtorch;
  int cores = 1;
  std::vector<Measured> measured;
  double seconds = 0;

  int exit_code() const;  // 0: all met; 1: one is missed; 3: one could not be measured
};

std::string report_text(const BenchReport& report);
std::string report_json(const BenchReport& report);

}  // namespace attncheck::bench
