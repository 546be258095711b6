#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// C13: a ring in which a rank whose queries see no key of any rank returns fresh memory for out and
// lse. Its gradients are zero, as they should be.
Mutant leaves_an_empty_rank_unwritten();

}  // namespace attncheck
