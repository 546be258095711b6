#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// C10: Ulysses whose ranks tell each other the lengths of their shards and keep them, by where the
// rank's own shard begins. That of rank 0 begins at 0 whatever the lengths: on a call with other
// ones it takes those of its first call, and does not take part where the others ask again.
Mutant caches_the_lengths_by_rank();

}  // namespace attncheck
