#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Rings whose forward is exact and whose dk and dv are not: A9 uses the first step's keys in every
// step of backward, A10 and A11 bring the sums to a wrong owner.
std::vector<Mutant> ring_backward_mutants();

}  // namespace attncheck
