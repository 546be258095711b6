#pragma once

#include "properties/property.h"

namespace attncheck {

// lse is (B, S_local, H) on every rank. The case's backend, called alone, returns its raw
// log-sum-exp in the shape that its contract declares; where that is padded, +inf behind the rows.
Property lse_has_declared_shape();

// What the kernel itself returns, of a backend alone: out, then the log-sum-exp, each in the axes,
// dtype and memory that the contract declares, neither of them undefined; beside them as many
// values for backward as the contract names. Where the contract names an operator, the number and
// types of what it returned are those of the schema that LibTorch's dispatcher has.
Property kernel_return_matches_schema();

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
