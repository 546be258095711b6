#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include <ATen/core/Tensor.h>

#include "impl/contract/backend.h"

namespace attncheck {

// The lse of a row that sees no key, and what is added to a hidden score, are -kInfinity.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether any query of the block sees any key. Reads the values of the mask if there is one.
bool any_visible(const BackendInputs& block);

// Whether some query of the block may see no key: what the mask can hide is not read.
bool may_have_empty_rows(const BackendInputs& block);

// `x` (B, Sq, H, ...) with `value` on the rows that see no key; `x` itself if there is none.
at::Tensor fill_empty_rows(const at::Tensor& x, const BackendInputs& block, double value);

// The lse of the call, (B, Sq, H), with +inf on rows that see no key: exp(s - lse) is 0 there,
// where -inf would give NaN.
at::Tensor lse_for_backward(const BackendBackward& call);

// The block's diagonal, or nothing where it hides no key.
std::optional<int64_t> hiding_diagonal(const BackendInputs& block);

// Mask and diagonal as what is added to the scores, -inf where hidden, in `dtype`: broadcastable to
// (B, H, Sq, Skv), of four axes, or of two if there is a diagonal alone. Undefined if nothing
// hides.
at::Tensor additive_mask(const BackendInputs& block, at::ScalarType dtype);

}  // namespace attncheck
