#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "impl/contract/merge.h"

namespace attncheck {

// The attention to the keys of both: lse = log(exp(lse_a) + exp(lse_b)), out the mean of the two
// weighted by exp(lse_x - lse). (0, -inf) is the identity; gaps of any size are right. The dtype of
// the outs (both the same) is the dtype in which they are averaged.
Partial merge(const Partial& a, const Partial& b);

// (0, -inf) for queries q (B, Sq, H, D): what a row without keys has.
Partial empty_partial(const at::Tensor& q, int64_t v_head_dim, at::ScalarType out_type,
                      at::ScalarType lse_type);

}  // namespace attncheck
