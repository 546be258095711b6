#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// How large a case is: ranks, then elements of q, k and v, then the number of things that are not
// at their default, then the seed. Compared in that order.
using CaseMeasure = std::array<uint64_t, 4>;
CaseMeasure measure(const Case& c);

// The cases to try instead of a failing one, most promising first: fewer ranks (with as many tokens
// and heads a rank as before), smaller sizes (those that are equal also together, since some faults
// show only while they are), one feature less, a small seed. Every one has a smaller measure, so
// that taking any of them again and again comes to an end.
std::vector<Case> smaller_cases(const Case& c);

// Whether `c` is at least as small as `other`: no more ranks, and among as many no more elements of
// q and k together.
bool at_least_as_small(const Case& c, const Case& other);

}  // namespace attncheck
