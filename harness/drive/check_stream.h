#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "harness/drive/check_report.h"
#include "harness/drive/close_calls.h"
#include "harness/drive/corpus.h"
#include "harness/drive/expectations.h"
#include "harness/drive/judge.h"
#include "harness/drive/lanes.h"
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
  int64_t steer = 25;  // percent of the cases that are drawn near the closest calls so far
  std::vector<CloseCall> closest;  // of earlier runs, where the stream is of their dtype
  ShrinkLimits shrink;
  std::string replay_program = "attncheck";
  std::string replay_flags;                // what a replay of a failure is told beside its case
  std::vector<Expectation> expectations;   // failures that are known
  std::vector<RememberedCase> remembered;  // tried first, where the stream is about them
  std::function<void(const Progress&)> progress = [](const Progress&) {};
  // A new failure, as soon as it is shrunk.
  std::function<void(const RememberedCase&)> on_failure = [](const RememberedCase&) {};
  // The same before it is shrunk, again for each smaller case, with shrunk_to_end false, and last
  // as the report has it. Called in any thread, one at a time.
  std::function<void(const StreamSpec&, const PropertyResult&)> on_found =
      [](const StreamSpec&, const PropertyResult&) {};
};

// What is asked of smaller cases, and told of one that fails.
struct ShrinkWish {
  std::function<bool(const Case&)> wanted = [](const Case&) { return true; };
  std::function<void(const Case&, const Verdict&)> smaller = [](const Case&, const Verdict&) {};
};

// One refused case is drawn for this many supported ones, for properties about refusals.
inline constexpr int64_t kCasesPerRefusal = 8;

// Whether a check of that stream by these properties tries the remembered failure.
bool tries(const StreamSpec& spec, const PropertyList& properties,
           const RememberedCase& remembered);

// Tries what is remembered, then draws `cases` cases of one stream; every property that speaks of
// its subject judges every case to which it applies. A property that fails is shrunk once and
// judges no more of this stream; the others go on, and so does one whose failure is known. The same
// spec, seed and options give the same report, whatever the number of lanes. An exception ends the
// stream, and is in its report.
StreamReport check_stream(const StreamSpec& spec, const PropertyList& properties, Lanes& lanes,
                          const CheckOptions& options);

// The smallest case that is wanted and on which the property still fails in the same way.
Shrunk shrink_failure(const Property& property, const Case& failing, const Verdict& verdict,
                      LaneLab& lane, const CheckOptions& options, const ShrinkWish& wish = {});

}  // namespace attncheck
