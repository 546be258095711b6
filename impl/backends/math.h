#pragma once

#include "impl/contract/backend.h"

namespace attncheck {

// "math": attention written out in few matrix products. Float64 stays float64, narrower dtypes
// compute in float32. Raw LSE (B, H, S). Takes grad_lse, grouped heads, dv != d, any mask and
// diagonal. Its backward recomputes P from the LSE: between the two lie q, k, v, out and lse alone.
Backend math_backend();

}  // namespace attncheck
