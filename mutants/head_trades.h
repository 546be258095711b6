#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/autograd/attention_function.h"
#include "impl/collectives/kept_group.h"
#include "mutants/parents.h"

namespace attncheck {

// The exchanges of Ulysses, of which a mutant replaces one. As right_trades gives them, they are
// right: from shards of the sequence with all heads, (B, S, H, ...), to the group's whole sequence
// with a share of the heads, (B, S U, H/U, ...), and back.
struct HeadTrades {
  using Trade = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& xs)>;

  Trade to_heads, to_sequence;  // q, k, v there; out, and lse if asked for, back
  Trade gradients_to_heads, gradients_to_sequence;  // their gradients: out and lse there, then back
};

HeadTrades right_trades(const KeptGroup& group);

// `inner`, which sees all tokens and a share of the heads, between the exchanges.
AttentionPass trading_pass(const AttentionPass& inner, const HeadTrades& trades, bool return_lse);

// A parent on meshes 1xU that makes the trades that `change` makes of right ones.
Parent trading_parent(std::function<void(HeadTrades&, const MeshGroups&)> change);

// Each of the tensors traded by `trade`.
HeadTrades::Trade one_by_one(std::function<at::Tensor(const at::Tensor& x)> trade);

}  // namespace attncheck
