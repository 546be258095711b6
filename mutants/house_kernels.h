#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Backends that are wrong alone: what the kernel returns is not what the contract declares;
// backward of a block looks at the block alone; head_dim is padded wrongly.
std::vector<Mutant> house_kernel_mutants();

}  // namespace attncheck
