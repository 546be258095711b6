#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "harness/drive/check_report.h"
#include "harness/drive/judge.h"
#include "harness/drive/shrink.h"

namespace attncheck {

// What a run has got to: for people who wait.
struct Progress {
  std::string stream;
  std::string doing;  // "cases", or "shrinking PROPERTY"
  int64_t done = 0, total = 0;
};

using Clock = std::chrono::steady_clock;

struct CheckOptions {
  int64_t cases = 100;
  uint64_t seed = 0;
  Clock::time_point deadline = Clock::time_point::max();  // no case is drawn after it
  ShrinkLimits shrink;
  std::function<void()> forget = [] {};  // after each case: what the lab remembers may go
  std::function<void(const Progress&)> progress = [](const Progress&) {};
};

// One refused case is drawn for this many supported ones, for properties about refusals.
inline constexpr int64_t kCasesPerRefusal = 8;

// Draws `cases` cases of one stream; every property that speaks of its subject judges every case to
// which it applies. A property that fails is shrunk once and judges no more of this stream; the
// others go on. The same spec and seed give the same report.
StreamReport check_stream(const StreamSpec& spec, const PropertyList& properties, Lab& lab,
                          const CheckOptions& options);

// The smallest case on which the property still fails. `forget` as in CheckOptions.
Shrunk shrink_failure(const Property& property, const Case& failing, const Verdict& verdict,
                      Lab& lab, const CheckOptions& options);

}  // namespace attncheck
