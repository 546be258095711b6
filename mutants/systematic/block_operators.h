#pragma once

#include <vector>

#include "mutants/systematic/operator.h"

namespace attncheck {

// Those that change what a kernel is given for a block, or what becomes of its results.
std::vector<Operator> block_operators();

}  // namespace attncheck
