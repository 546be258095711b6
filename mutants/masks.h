#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// C12: joint tokens count once for each rank. D2: the columns of joint keys are taken to stand in
// front. D1: the mask is dropped. D3: a mask of batch and keys alone is that of the first of the
// batch for all. And those of the house: a ring that keeps its own keys' columns in every step,
// heads that all see the first rank's part of the mask, a window one place too wide, documents
// that are forgotten in a masked window, and documents that
// end at the own shard alone.
std::vector<Mutant> mask_mutants();

}  // namespace attncheck
