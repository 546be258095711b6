#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// What must not matter does: the places of keys, the data of other batches and heads, the size of
// v, a vector that all keys share, the number of keys beside that of queries.
std::vector<Mutant> house_invariance_mutants();

}  // namespace attncheck
