#pragma once

#include <ATen/core/Tensor.h>

#include "problem/problem.h"

namespace attncheck {

// x (B, S, ...) of a rank that holds joint tokens before or behind its shard: the one, the other,
// and both together. Without joint tokens the shard is x, and there is no joint part.
at::Tensor joint_part(const at::Tensor& x, const Joint& joint);
at::Tensor sharded_part(const at::Tensor& x, const Joint& joint);
at::Tensor with_joint_part(const at::Tensor& sharded, const at::Tensor& joint_part,
                           const Joint& joint);

}  // namespace attncheck
