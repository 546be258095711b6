#pragma once

#include <string>

#include "harness/registry.h"

namespace attncheck::gloo_cpu {
class GroupFactory;
}

namespace attncheck::timing {

// One rank's part of a request for a trace (diary.h): the case's implementation forward and
// backward on normal data, once for the connections and once more for the diary, before which all
// ranks meet. Does not throw: an error is part of the answer, and the groups are then no longer
// trusted.
std::string answer_trace(const Registry& registry, const std::string& request,
                         gloo_cpu::GroupFactory& factory);

}  // namespace attncheck::timing
