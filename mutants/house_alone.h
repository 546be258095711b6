#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Faults that one property alone can see: each shows what that property is worth.
std::vector<Mutant> house_alone_mutants();

}  // namespace attncheck
