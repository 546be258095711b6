#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/kept_group.h"

namespace attncheck {

// From shards of the sequence with all heads, x (B, S, H, ...), to the group's whole sequence with
// a share of the heads, (B, S U, H/U, ...), and back. All are posted before the first is waited
// for.
std::vector<at::Tensor> to_heads(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group);
std::vector<at::Tensor> to_sequence(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group);

// The exchanges around a pass, one of which somebody may replace: q, k, v to heads, out (and lse)
// back; then their gradients, out (and lse) to heads, q, k, v back.
struct HeadTrades {
  using Trade = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& xs)>;

  Trade to_heads, to_sequence;
  Trade gradients_to_heads, gradients_to_sequence;
};

HeadTrades head_trades(const KeptGroup& group);

}  // namespace attncheck
