#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// A18: a sum over the ranks that autograd does not know of: its backward is the identity, where the
// sum of the ranks' gradients is due.
Mutant sum_without_autograd();

}  // namespace attncheck
