#pragma once

#include "properties/property.h"

namespace attncheck {

// Backward returns as many gradients as forward took inputs: the engine's error about their number
// ("... returned an incorrect number of gradients (expected 12, got 11)") does not come.
Property gradient_count_matches_inputs();

// Every rank gets a gradient for each of q, k and v that requires one.
Property every_required_gradient_is_defined();

// For every proper subset of q, k and v that requires grad, the same on all ranks, each gradient
// equals that of the full set within twice the bound (each of the two may use it up).
Property gradients_do_not_depend_on_who_else_requires_grad();

// dq, dk and dv have the dtypes and shapes of q, k and v on every rank; so has what the case's
// backend returns when it is called directly, since autograd repairs both in silence. And no
// gradient lies on a coarser grid than its dtype: 8 or more elements above their bound, all of them
// representable in a narrower dtype, where the reference's are not.
Property gradient_dtype_and_shape_match_input();

// g(2 a + b) = 2 g(a) + g(b), with cotangents on a grid of eighths, so that 2 a + b is exact;
// within the bounds of the three gradients, 2, 1 and 1 times. The factors do not add up to 1: a
// gradient that ignores its cotangent fails.
Property vjp_is_linear_in_cotangent();

// A zero cotangent gives gradients that are exactly zero, of either sign.
Property zero_cotangent_gives_zero_gradient();

}  // namespace attncheck
