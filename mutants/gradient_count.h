#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// A1 (Ulysses) and A2 (unified): backward returns one gradient fewer than forward took inputs.
std::vector<Mutant> gradient_count_mutants();

}  // namespace attncheck
