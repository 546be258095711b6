#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Every mutant, those of the public faults first, in the order of their names, then those of the
// house. Each call makes them anew.
std::vector<Mutant> mutant_catalogue();

}  // namespace attncheck
