#pragma once

#include <c10/core/ScalarType.h>

namespace attncheck::reference {

// The numbers of a floating format, with p bits of significand (the hidden one included): float64
// p = 53, float32 24, float16 11, bfloat16 8. Each throws c10::Error for any other dtype.

/// Largest relative error of one rounding to nearest: 2^-p.
double unit_roundoff(c10::ScalarType dtype);

/// Smallest positive number of full precision; results below it may be flushed to zero.
double smallest_normal(c10::ScalarType dtype);

/// Smallest positive number at all: 2^(1-p) times the smallest normal.
double smallest_subnormal(c10::ScalarType dtype);

/// What kernels accumulate this dtype in: float64 for float64, float32 for everything narrower.
c10::ScalarType accumulation_type(c10::ScalarType dtype);

}  // namespace attncheck::reference
