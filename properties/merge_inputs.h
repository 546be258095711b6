#pragma once

#include <cstdint>
#include <vector>

#include "impl/contract/merge.h"
#include "problem/case.h"
#include "reference/inputs.h"

namespace attncheck {

// More partials have too many trees.
inline constexpr int64_t kMostPartials = 5;

// The case's kv partials: out (b, q, h, dv) in its dtype and lse (b, q, h) in lse's. An element of
// the rows of a partial is a hash of its place. A quarter of the rows is empty, (0, -inf); another
// quarter lies 1000 above or below the rest, and another 4 to 40: there the lesser of two partials
// still counts, though it is far below the greater one.
std::vector<Partial> merge_inputs(const Case& c);

// The same as dense attention that the reference takes: every row is a batch of its own with one
// query, and every partial a key whose score is lse and whose value is out. Of its result,
// (b q h, 1, 1, dv), row (i q + s) h + j is that of (i, s, j).
reference::Inputs dense_inputs(const std::vector<Partial>& partials);

}  // namespace attncheck
