#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/drive/mutant_hunt.h"

namespace attncheck {

struct HuntReport {
  std::string version, libtorch;
  uint64_t seed = 0;
  std::vector<Hunt> hunts;

  // 1 when a mutant survived or was caught where it is right, else 3 when one was not judged.
  int exit_code() const;
};

// How many cases it took, over the mutants that are wrong.
struct HuntPace {
  // The median (of an even number the lower one), where a mutant that no drawn case showed counts
  // as more than any other; nullopt when that is the median.
  std::optional<int64_t> median;
  std::vector<const Hunt*> slowest;  // by drawn cases, three at most, the slowest first
};
HuntPace pace_of(const HuntReport& report);

// For people: a few lines per mutant, then how many were caught and how soon, and what was not.
std::string report_text(const HuntReport& report);
// For programs (DESIGN section 6).
std::string report_json(const HuntReport& report);

}  // namespace attncheck
