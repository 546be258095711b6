#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// C4: Ulysses for any length. Where the ranks do not divide it, every shard is cut to the length
// that all of them have; what was cut comes back as zeros. Otherwise right.
Mutant cuts_to_equal_splits();

}  // namespace attncheck
