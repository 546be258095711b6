#pragma once

#include <vector>

#include "mutants/systematic/operator.h"

namespace attncheck {

// Those of an exchange itself: whether it is made, waited for, in which memory and on which group.
std::vector<Operator> transfer_operators();

}  // namespace attncheck
