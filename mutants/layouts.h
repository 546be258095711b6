#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// D4: the halves of a zigzag shard are taken to be of equal length. D5: the half of the queries
// that sees the keys of later ranks is taken where every query sees them. D6: the ring goes over as
// many shards as there are where each but the last is as long as the longest.
std::vector<Mutant> layout_mutants();

}  // namespace attncheck
