#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Models of which one piece is wrong; on one rank all are right. Parameter gradients are averaged
// over the ranks where a sum is due (A14), or multiplied by their number; a rank turns its tokens
// as if its shard were the first (C15); the gradient of a split is gathered, and then summed all
// the same; that of the gathered output is not summed over the ranks; each rank draws a
// conditioning vector of its own.
std::vector<Mutant> model_mutants();

}  // namespace attncheck
