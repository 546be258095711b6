#pragma once

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "impl/contract/backend.h"
#include "impl/layouts/blocks.h"

namespace attncheck {

// What a kernel is given of q (B, Sq, H, Dqk), k (B, Skv, Hkv, Dqk) and v (B, Skv, Hkv, Dv): the
// tokens of the block, its mask and its diagonal.
BackendInputs block_inputs(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           double scale, const Block& block);

// What is known of all queries of a rank when gradients are asked for.
struct QueryRows {
  at::Tensor out, lse;            // over all keys: (B, Sq, H, Dv), (B, Sq, H)
  at::Tensor grad_out, grad_lse;  // grad_lse may be undefined
};

// The same for its backward, with the rows of the block; `aux` is what its forward returned.
BackendBackward block_backward(BackendInputs inputs, const QueryRows& rows, const Block& block,
                               std::vector<c10::IValue> aux);

}  // namespace attncheck
