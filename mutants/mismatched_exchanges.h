#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// What the ranks post does not fit together: a tag, a peer, the splits, the reduction, a collective
// that one rank skips, a message too many. The forward is exact in all but the one with the tag.
std::vector<Mutant> mismatched_exchange_mutants();

}  // namespace attncheck
