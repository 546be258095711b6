#pragma once

#include <cstdint>
#include <limits>

#include <ATen/core/Tensor.h>

#include "reference/inputs.h"

namespace attncheck::reference {

/// The lse of a row that sees no key, and a hidden score, are -kInfinity.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether the place of a key can hide it from a row: a diagonal, or several documents.
bool place_hides(const Inputs& inputs);

/// Which keys the positions hide from rows begin .. begin + rows: (rows, Skv) bool, true = hidden.
/// Undefined where no place hides a key.
at::Tensor hidden_by_place(const Inputs& inputs, int64_t begin, int64_t rows);

/// The mask's part for rows begin .. begin + rows, still broadcastable to (B, H, rows, Skv), in the
/// mask's own dtype. Undefined where there is no mask.
at::Tensor mask_rows(const Inputs& inputs, int64_t begin, int64_t rows);

/// Which keys each row sees: (B, H, Sq, Skv) bool. For small problems: it is not blocked.
at::Tensor visibility(const Inputs& inputs);

/// How many keys each row sees: (B, Sq, H) int64. Blocked by rows.
at::Tensor visible_counts(const Inputs& inputs);

}  // namespace attncheck::reference
