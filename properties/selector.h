#pragma once

#include <cstdint>

#include "problem/case.h"

namespace attncheck {

// `selector` data: k_j = (2j, -j^2, 0, ...) and q_i = g (t, 1, 0, ...) give the score
// g scale (t^2 - (t - j)^2), so that key t wins by at least g |scale|, which lies beyond the range
// of exp in the case's dtype (745 in float64, 104 in float32). With head_dim 1: k_j = j and q_i =
// +-g, so that the last or the first visible key wins.
double selector_key(const Problem& p, int64_t position, int64_t d);
double selector_query(const Case& c, int64_t b, int64_t position, int64_t h, int64_t d);

}  // namespace attncheck
