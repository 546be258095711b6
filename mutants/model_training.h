#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Models of which one piece is wrong; on one rank all are right.
//   A14                           parameter gradients averaged over the ranks where a sum is due
//   house_gradients_times_ranks   multiplied by the number of ranks
//   C15                           every rank turns its tokens as if its shard were the sequence's
//   first house_conditioning_by_rank    the conditioning vector is drawn by each rank for itself
std::vector<Mutant> model_mutants();

}  // namespace attncheck
