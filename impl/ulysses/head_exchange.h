#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/kept_group.h"

namespace attncheck {

// From shards of the sequence with all heads, x (B, S, H, ...), to the group's whole sequence with
// a share of the heads, (B, S U, H/U, ...), and back. All are posted before the first is waited
// for.
std::vector<at::Tensor> to_heads(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group);
std::vector<at::Tensor> to_sequence(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group);

}  // namespace attncheck
