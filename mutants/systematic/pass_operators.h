#pragma once

#include <vector>

#include "mutants/systematic/operator.h"

namespace attncheck {

// Those of a pass as autograd sees it: what it returns for whom, and what it writes to.
std::vector<Operator> pass_operators();

}  // namespace attncheck
