#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Values that depend on what they must not depend on, or count what they must not count, in the
// ways that no catalogued fault has.
std::vector<Mutant> house_value_mutants();

}  // namespace attncheck
