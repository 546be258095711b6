#pragma once

#include <memory>
#include <string>

#include "sim/schedule.h"

namespace attncheck::sim {

// The schedule that a text names:
//   "", "rr"        round robin
//   "random:SEED"   UniformSchedule
//   "pct:D:SEED"    PctSchedule of depth D, 1 to PctSchedule::kMaxDepth
// SEED is a number from 0 to 2^64 - 1. The same text gives the same runs. Throws
// std::invalid_argument that says what was expected for any other text.
std::unique_ptr<Schedule> make_schedule(const std::string& text);

}  // namespace attncheck::sim
