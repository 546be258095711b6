#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// A20: float32 is computed in float16, forward and backward, and cast back. Other dtypes stay.
Mutant computes_in_float16();

}  // namespace attncheck
