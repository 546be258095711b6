#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// The trailing axis that lets a log-sum-exp broadcast against (B, S, H, D): given twice (B1, and by
// the merge B15), not given (B2), or taken for one of the axes of an exchange (B3). Each is right
// on kernels that return the other shape: B1, B3 and B15 on (B, H, S), B2 on the one that the
// linked LibTorch's cuDNN returns.
std::vector<Mutant> lse_axis_mutants();

}  // namespace attncheck
