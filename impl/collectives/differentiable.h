#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "impl/collectives/kept_group.h"

namespace attncheck {

// Exchanges that autograd differentiates, for the local loss convention: the loss is the SUM of
// what the ranks compute, and the backward of each is its adjoint. Every rank of the group must run
// the backward. Shapes as in exchange.h.

// Backward: the all-to-all with the axes exchanged.
at::Tensor seq_all_to_all(const at::Tensor& x, const KeptGroup& group, int64_t scatter_dim,
                          int64_t gather_dim);

// The ranks' x joined along `dim`. Backward: the sum over the ranks of their gradient of this
// rank's piece (reduce-scatter).
at::Tensor gather_sequence(const at::Tensor& x, const KeptGroup& group, int64_t dim);

// What rank - hops has. Backward: hops the other way.
at::Tensor ring_shift(const at::Tensor& x, const KeptGroup& group, int hops);

}  // namespace attncheck
