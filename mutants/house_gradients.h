#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Faults of gradient plumbing that no catalogued fault has; the forward is exact in all of them.
std::vector<Mutant> house_gradient_mutants();

}  // namespace attncheck
