#pragma once

#include <string>

#include "harness/registry.h"

namespace attncheck::gloo_cpu {
class GroupFactory;
}

namespace attncheck::timing {

// One rank's part of a request for times (timing_request.h): what is timed takes turns, all ranks
// meet before each, and each rank keeps its own time. The data are normal; what comes of them is
// nobody's business here. Does not throw: an error is part of the answer, and the groups are then
// no longer trusted.
std::string answer_timing(const Registry& registry, const std::string& request,
                          gloo_cpu::GroupFactory& factory);

}  // namespace attncheck::timing
