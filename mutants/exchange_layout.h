#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Exchanges that deliver every element, in the wrong order: C1 scrambles a batch of more than one,
// C2 mixes tokens and heads, C3 returns the shape of the sibling branch.
std::vector<Mutant> exchange_layout_mutants();

}  // namespace attncheck
