#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// A17: the blocks are merged by operations that autograd differentiates, but the kernel's LSE
// carries no gradient. The weights of the blocks are constants to autograd: dv is exact, and dq and
// dk lack what moves attention from one block to another.
Mutant merge_left_to_autograd();

}  // namespace attncheck
