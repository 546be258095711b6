#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// B5: a kernel's base-2 log-sum-exp is taken for a natural one; its own output is right, so that
// one rank alone shows it in lse only. B6: the base is converted twice. B7: two empty partials
// merge to NaN.
std::vector<Mutant> lse_value_mutants();

}  // namespace attncheck
