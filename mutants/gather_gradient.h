#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// A5: an all-gather whose backward keeps the rank's own slice of the incoming gradient. The other
// ranks' gradients of the same tokens are dropped, which goes unseen when every rank computes the
// same loss and the gradients are averaged.
Mutant gather_keeps_its_own_slice();

}  // namespace attncheck
