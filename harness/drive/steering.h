#pragma once

#include <cstdint>
#include <vector>

#include "harness/drive/close_calls.h"

namespace attncheck {

// So many cases of a stream are a generation.
inline constexpr int64_t kGeneration = 25;
// Only so many properties steer, those closest to their bounds: what comes near to failing first.
inline constexpr size_t kSteeringProperties = 6;
inline constexpr size_t kCallsOfAProperty = 2;

// Which cases of a stream are drawn near the closest calls so far, and near which. A generation
// knows the calls up to the last but one, so that what is drawn depends on the seed alone and not
// on how far behind the verdicts are, and nobody waits for them.
class Steering {
 public:
  // Of 100 cases so many are drawn near a call, as soon as there are any. `earlier`: calls of
  // earlier runs.
  Steering(int64_t percent, const std::vector<CloseCall>& earlier);

  // The calls of the next case, in the order of the drawing: one for each property that held.
  void enter(const std::vector<CloseCall>& calls);

  // Whether all is entered that the drawn-th case, from 0, shall know.
  bool ready(int64_t drawn) const;
  // The cases of which that case shall be drawn near to one; none: it is drawn like any.
  const std::vector<Case>& near(int64_t drawn) const;

 private:
  std::vector<Case> cases() const;
  static size_t known_to(int64_t drawn);

  int64_t percent_, entered_ = 0;
  CloseCalls calls_;
  std::vector<std::vector<Case>> after_;  // after so many generations: the calls' cases
};

}  // namespace attncheck
