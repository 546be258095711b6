#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/kept_group.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// How many tokens the ranks of a group hold, of the queries and of the keys; empty: all as many.
struct GroupLengths {
  std::vector<int64_t> q, kv;
};

GroupLengths group_lengths(const AttentionOptions& options, const MeshGroups& groups);

// From shards of the sequence with all heads, x (B, S, H, ...), to all tokens of the group with a
// share of the heads, (B, S U, H/U, ...), and back. All are posted before the first is waited for.
// lengths[i]: how many tokens of xs[i] each rank holds; nothing, or empty: all as many.
std::vector<at::Tensor> to_heads(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group,
                                 const std::vector<std::vector<int64_t>>& lengths = {});
std::vector<at::Tensor> to_sequence(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group,
                                    const std::vector<std::vector<int64_t>>& lengths = {});

// The exchanges around a pass, one of which somebody may replace: q, k, v to heads, out (and lse)
// back; then their gradients, out (and lse) to heads, q, k, v back.
struct HeadTrades {
  using Trade = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& xs)>;

  Trade to_heads, to_sequence;
  Trade gradients_to_heads, gradients_to_sequence;
};

HeadTrades head_trades(const KeptGroup& group, const GroupLengths& lengths = {});

}  // namespace attncheck
