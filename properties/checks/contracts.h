#pragma once

#include "properties/property.h"

namespace attncheck {

// lse is (B, S_local, H) on every rank. The case's backend, called alone, returns its raw
// log-sum-exp in the shape that its contract declares.
Property lse_has_declared_shape();

// out has q's dtype, lse the wider of q's dtype and float32, on every rank.
Property out_and_lse_have_declared_dtype();

// With q = k = 1 every score is scale * head_dim, so that
//   lse_i = scale * head_dim + ln n_i,   n_i the number of keys that query i sees.
// The evidence tells which mistake would give what came: base 2 as a whole, base 2 in each block
// before a natural merge, a base converted twice, keys counted more than once.
Property lse_is_natural_log();

// A query that sees no key has out = 0, lse = -inf and dq = 0, exactly; the others are finite.
Property empty_rows_are_zero_and_minus_infinity();

}  // namespace attncheck
