#pragma once

#include <vector>

#include "mutants/systematic/operator.h"

namespace attncheck {

// Those that take one rank of a group for another: who sends to whom, and what comes from whom.
std::vector<Operator> peer_operators();

}  // namespace attncheck
