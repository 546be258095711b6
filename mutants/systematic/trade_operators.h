#pragma once

#include <vector>

#include "mutants/systematic/operator.h"

namespace attncheck {

// Those of the trade of tokens for heads: which heads a rank gets, and what is not traded.
std::vector<Operator> trade_operators();

}  // namespace attncheck
