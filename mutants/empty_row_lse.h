#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// A kernel's own log-sum-exp of a row that sees no key of a block goes into the merge as it is: B8
// has +inf there, B9 has 0.
std::vector<Mutant> empty_row_lse_mutants();

}  // namespace attncheck
