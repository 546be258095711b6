#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// What becomes of the log-sum-exp between the kernel and who needs it: A13 keeps it for backward
// only where the caller asked for it, B12 forces it and the accumulators to float32.
std::vector<Mutant> lse_kept_mutants();

}  // namespace attncheck
