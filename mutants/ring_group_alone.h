#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// C5: what should be unified attention is a ring over the rank's own ring group, without the
// exchange within the Ulysses group: each query sees 1/U of the keys. Its backward is that of what
// it computes.
Mutant ring_group_alone();

}  // namespace attncheck
