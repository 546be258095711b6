#include "mutants/systematic/trade_operators.h"

#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include "mutants/axes.h"
#include "mutants/systematic/on_blocks.h"
#include "mutants/systematic/reaches.h"

namespace attncheck {
namespace {

using Tensors = std::vector<at::Tensor>;

// x (B, S, H, ...) with the heads i, i + ranks, ... in the place of the i-th run of heads.
at::Tensor by_turns(const at::Tensor& x, int64_t ranks) {
  return x.unflatten(kHeadsAxis, {x.size(kHeadsAxis) / ranks, ranks})
      .transpose(kHeadsAxis, kHeadsAxis + 1)
      .flatten(kHeadsAxis, kHeadsAxis + 1);
}

// The way back.
at::Tensor from_turns(const at::Tensor& x, int64_t ranks) {
  return by_turns(x, x.size(kHeadsAxis) / ranks);
}

Tensors each_of(const Tensors& xs, int64_t ranks, at::Tensor (*edit)(const at::Tensor&, int64_t)) {
  Tensors edited;
  for (const at::Tensor& x : xs) edited.push_back(edit(x, ranks));
  return edited;
}

HeadTrades::Trade with_first_by_turns(HeadTrades::Trade trade, int64_t ranks) {
  return [=](Tensors xs) {
    xs.front() = by_turns(xs.front(), ranks);
    return trade(xs);
  };
}

void deal_one_by_turns(HeadTrades& trades, const MeshGroups& groups) {
  trades.to_heads = with_first_by_turns(trades.to_heads, groups.mesh.ulysses);
  trades.gradients_to_heads = with_first_by_turns(trades.gradients_to_heads, groups.mesh.ulysses);
}

HeadTrades::Trade there_by_turns(HeadTrades::Trade trade, int64_t ranks) {
  return [=](const Tensors& xs) { return trade(each_of(xs, ranks, by_turns)); };
}

HeadTrades::Trade back_from_turns(HeadTrades::Trade trade, int64_t ranks) {
  return [=](const Tensors& xs) { return each_of(trade(xs), ranks, from_turns); };
}

void deal_all_by_turns(HeadTrades& trades, const MeshGroups& groups) {
  const int64_t ranks = groups.mesh.ulysses;
  trades.to_heads = there_by_turns(trades.to_heads, ranks);
  trades.to_sequence = back_from_turns(trades.to_sequence, ranks);
  trades.gradients_to_heads = there_by_turns(trades.gradients_to_heads, ranks);
  trades.gradients_to_sequence = back_from_turns(trades.gradients_to_sequence, ranks);
}

// The rows of x along `axis`, over and over from the `first` one on, `length` of them.
at::Tensor over_and_over(const at::Tensor& x, int64_t axis, int64_t first, int64_t length) {
  const at::Tensor rows = at::arange(first, first + length, x.options().dtype(at::kLong));
  return x.index_select(axis, rows.remainder(x.size(axis)));
}

// In the shape of what the trade would have brought.
at::Tensor own_tokens_over_and_over(const at::Tensor& x, const at::Tensor& like, int64_t rank) {
  const int64_t heads = like.size(kHeadsAxis);
  const at::Tensor own = over_and_over(x, kHeadsAxis, rank * heads, heads);
  return over_and_over(own, kSequenceAxis, 0, like.size(kSequenceAxis));
}

at::Tensor own_heads_over_and_over(const at::Tensor& x, const at::Tensor& like, int64_t rank) {
  const int64_t tokens = like.size(kSequenceAxis);
  const at::Tensor own = over_and_over(x, kSequenceAxis, rank * tokens, tokens);
  return over_and_over(own, kHeadsAxis, 0, like.size(kHeadsAxis));
}

void keep_grad_out(HeadTrades& trades, const MeshGroups& groups) {
  trades.gradients_to_heads = [right = trades.gradients_to_heads,
                               rank = groups.ulysses_index()](const Tensors& xs) {
    Tensors results = right(xs);
    if (xs[0].numel() > 0) results[0] = own_tokens_over_and_over(xs[0], results[0], rank);
    return results;
  };
}

void keep_lse(HeadTrades& trades, const MeshGroups& groups) {
  trades.to_sequence = [right = trades.to_sequence,
                        rank = groups.ulysses_index()](const Tensors& xs) {
    Tensors results = right(xs);
    const bool any = xs.size() > 1 && xs[1].numel() > 0;
    if (any) results[1] = own_heads_over_and_over(xs[1], results[1], rank);
    return results;
  };
}

Changes on_trades(void (*change)(HeadTrades&, const MeshGroups&)) {
  Changes changes;
  changes.trades = change;
  return changes;
}

// Query head h with KV head h % Hkv in the place of h / (H / Hkv): x (B, S, H, ...) in the order in
// which the kernel then pairs them, and back.
at::Tensor to_turns_of_kv_heads(const at::Tensor& x, int64_t kv_heads) {
  return by_turns(x, kv_heads);
}
at::Tensor from_turns_of_kv_heads(const at::Tensor& x, int64_t kv_heads) {
  return from_turns(x, kv_heads);
}

// lse (B, H, S) is that of the math backend, on which all of this runs.
Backend groups_heads_by_turns(const Backend& right) {
  Backend backend = right;
  backend.forward = [right](BackendInputs block) {
    const int64_t kv_heads = block.k.size(kHeadsAxis);
    block.q = to_turns_of_kv_heads(block.q, kv_heads);
    BackendForward result = right.forward(block);
    result.out = from_turns_of_kv_heads(result.out, kv_heads);
    result.lse = from_turns_of_kv_heads(result.lse.transpose(1, 2), kv_heads).transpose(1, 2);
    return result;
  };
  backend.backward = [right](BackendBackward call) {
    const int64_t kv_heads = call.block.k.size(kHeadsAxis);
    for (at::Tensor* x : {&call.block.q, &call.grad_out, &call.grad_lse, &call.out, &call.lse}) {
      if (x->defined()) *x = to_turns_of_kv_heads(*x, kv_heads);
    }
    BackendGrads grads = right.backward(call);
    grads.dq = from_turns_of_kv_heads(grads.dq, kv_heads);
    return grads;
  };
  return backend;
}

Changes on_grouped_heads() {
  Changes changes;
  changes.backend = groups_heads_by_turns;
  return changes;
}

}  // namespace

std::vector<Operator> trade_operators() {
  constexpr const char* kWide = "b=2 q=24 kv=12 h=4 hkv=2 d=3 dv=2 causal=1";
  const std::string alone = std::string("mesh=1x1 ") + kWide;
  return {
      {"deals_one_by_turns",
       "a rank gets every U-th head of the first tensor of a trade, and a run of heads of the rest",
       alone,
       on_trades(deal_one_by_turns),
       {{kInTrades, kEachPass, "mesh=1x2 q=2 h=4 d=1"}}},
      {"deals_all_by_turns",
       "a rank gets every U-th head of all tensors: right unless heads are grouped",
       alone,
       on_trades(deal_all_by_turns),
       {{kInTrades, {Phase::both}, "mesh=1x2 q=2 h=4 hkv=2 d=1"}}},
      {"keeps_its_own_grad_out",
       "a rank takes the gradient of its own tokens for that of all",
       alone,
       on_trades(keep_grad_out),
       {{kInTrades, kBackward, "mesh=1x2 q=2 h=2 d=1"}}},
      {"keeps_its_own_lse",
       "a rank takes the lse of its own heads for that of all",
       alone,
       on_trades(keep_lse),
       {{kInTrades, kForward, "mesh=1x2 q=2 h=2 d=1", 1, "lse_matches_reference"}}},
      {"groups_heads_by_turns",
       "query head h attends to KV head h % Hkv",
       "q=8 h=2 d=2",
       on_grouped_heads(),
       {{kAllMethods, kEachAndBoth, "q=1 h=4 hkv=2 d=1"}}},
  };
}

}  // namespace attncheck
