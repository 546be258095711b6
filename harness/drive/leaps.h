#pragma once

#include <vector>

#include "problem/case.h"

namespace attncheck {

// Very small cases of the same subject on the same ranks, the smallest first, to try before any
// single step: most faults show there, and one that ends ranks, or makes them hang, costs seconds
// at each step that it takes. All have a smaller measure (smaller_cases.h).
std::vector<Case> leaps(const Case& failing);

}  // namespace attncheck
