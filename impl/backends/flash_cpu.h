#pragma once

#include "impl/contract/backend.h"

namespace attncheck {

// "flash_cpu": aten::_scaled_dot_product_flash_attention_for_cpu and its backward. What is unlike
// the contract in that op is made like it, both ways:
// - boolean masks and diagonals other than 0 become additive masks in q's dtype, and so does every
//   diagonal where the scale is not positive: the op multiplies what it hides, -inf, by it;
// - it wants +inf, not -inf, as the LSE of an empty row in backward;
// - its last stride must be 1;
// - grouped heads are expanded, and their gradients summed (it reads out of bounds up to 2.8);
// - dv != d is refused;
// - its causal backward computes keys that nobody sees: float32 and float64 go by strips of keys.
Backend flash_cpu_backend();

}  // namespace attncheck
