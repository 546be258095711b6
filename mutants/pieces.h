#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace attncheck {

// What an all-to-all trades. Both return memory of their own.

// (..., n, ...) -> (ranks, ..., n / ranks, ...): axis `dim` cut into a piece per rank.
at::Tensor in_pieces(const at::Tensor& x, int64_t ranks, int64_t dim);

// (ranks, ..., n, ...) -> (..., ranks n, ...): the pieces joined along axis `dim` of the result.
at::Tensor joined_pieces(const at::Tensor& pieces, int64_t dim);

}  // namespace attncheck
