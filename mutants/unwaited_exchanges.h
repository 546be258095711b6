#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Exchanges that are not waited for in time, or share their memory: A6 and C11 read what is still
// on its way, one of the house drops the Works of its sends, one hands over a buffer as input and
// output at once. The values of the two of the house are right.
std::vector<Mutant> unwaited_exchange_mutants();

}  // namespace attncheck
