#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Mutants of the house of an attention that gathers the keys of all ranks at once: these stay in
// the order of the ranks, are gathered twice, have their gradients averaged.
std::vector<Mutant> house_all_keys_mutants();

}  // namespace attncheck
