#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// C6: a backend that does not know of context parallelism attends to the rank's own shard alone:
// right numbers of that shard, no traffic, no error.
Mutant own_shard_alone();

}  // namespace attncheck
