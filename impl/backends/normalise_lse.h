#pragma once

#include <ATen/core/Tensor.h>

#include "impl/contract/backend.h"

namespace attncheck {

// A kernel's raw log-sum-exp in the project's form: (B, Sq, H), natural log, the wider of q's dtype
// and float32, -inf on rows of `block` without a visible key (known from its mask and diagonal,
// never from the value of the LSE). Throws when the raw shape is not the one that the contract
// declares: both shapes are in the message.
at::Tensor normalise_lse(const BackendContract& contract, const at::Tensor& raw,
                         const BackendInputs& block);

}  // namespace attncheck
