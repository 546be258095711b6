#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// The trailing axis that lets a log-sum-exp broadcast against (B, S, H, D): given twice (B1), not
// given (B2), or taken for one of the axes of an exchange (B3). Each carries its own kernel.
std::vector<Mutant> lse_axis_mutants();

}  // namespace attncheck
