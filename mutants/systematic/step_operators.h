#pragma once

#include <vector>

#include "mutants/systematic/operator.h"

namespace attncheck {

// Those of going step by step: which blocks a rank takes, whose keys it thinks they are, and how
// their results become one.
std::vector<Operator> step_operators();

}  // namespace attncheck
