#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Merges that are right for most partials: by the sigmoid of the gap, by bare exponentials, and
// with the mean of the outs.
std::vector<Mutant> house_merge_mutants();

}  // namespace attncheck
