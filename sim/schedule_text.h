#pragma once

#include <memory>
#include <string>

#include "sim/schedule.h"

namespace attncheck::sim {
inline std::unique_ptr<Schedule> make_schedule(const std::string&) { return std::make_unique<RoundRobin>(); }
}  // namespace attncheck::sim
