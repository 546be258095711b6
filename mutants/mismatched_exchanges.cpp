#include "mutants/mismatched_exchanges.h"

#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/head_trades.h"
#include "mutants/pieces.h"
#include "mutants/ring_moves.h"

namespace attncheck {
namespace {

constexpr const char* kMatch = "collectives_match_on_all_ranks";
constexpr int kRankThatDiffers = 0;

int next_of(const RingCall& call) {
  return (call.ring_index + 1) % call.ring_degree;
}

int previous_of(const RingCall& call) {
  return (call.ring_index + call.ring_degree - 1) % call.ring_degree;
}

// k arrives as v, and v with a tag that nobody waits for.
void shifts_the_tags(RingMoves& moves, const MeshGroups&) {
  moves.hop_of_keys = [call = moves.call](const std::vector<at::Tensor>& xs, int) {
    Flight coming = post_receives(xs, *call.group, previous_of(call), kKeysTag);
    return both(std::move(coming), post_sends(xs, *call.group, next_of(call), kKeysTag + 1));
  };
}

// Two ranks do not tell the one way from the other.
void sends_back_where_it_receives(RingMoves& moves, const MeshGroups&) {
  moves.hop_of_sums = [call = moves.call](const std::vector<at::Tensor>& xs, int) {
    const int peer = previous_of(call);
    return post_hop(xs, *call.group, peer, peer, kSumsTag);
  };
}

// Buffered sends hide it: nobody receives after the last hop.
void sends_its_last_sum_twice(RingMoves& moves, const MeshGroups&) {
  moves.hop_of_sums = [call = moves.call](const std::vector<at::Tensor>& xs, int step) {
    Flight hop = post_hop(xs, *call.group, next_of(call), previous_of(call), kSumsTag);
    if (step + 1 < call.ring_degree) return hop;
    return both(std::move(hop), post_sends({xs[0]}, *call.group, next_of(call), kSumsTag));
  };
}

// Two pieces for rank 1, none for itself, and as many back. Splits count pieces.
at::Tensor traded_unevenly(const at::Tensor& x, c10d::ProcessGroup& group) {
  at::Tensor pieces = in_pieces(x, group.getSize(), kSequenceAxis);
  at::Tensor received = at::empty(pieces.sizes(), pieces.options());
  std::vector<int64_t> splits(group.getSize(), 1);
  if (group.getRank() == kRankThatDiffers) {
    splits[0] = 0;
    splits[1] = 2;
  }
  group.alltoall_base(received, pieces, splits, splits)->wait();
  return joined_pieces(received, kHeadsAxis);
}

void splits_unevenly(HeadTrades& trades, const MeshGroups& groups) {
  trades.gradients_to_sequence = one_by_one(
      [group = groups.ulysses](const at::Tensor& x) { return traded_unevenly(x, *group); });
}

at::Tensor reduced(at::Tensor by_owner, c10d::ProcessGroup& group) {
  at::Tensor own = at::empty(by_owner.sizes().slice(1), by_owner.options());
  c10d::ReduceScatterOptions options;
  options.reduceOp =
      group.getRank() == kRankThatDiffers ? c10d::ReduceOp::MAX : c10d::ReduceOp::SUM;
  at::Tensor flat = by_owner.flatten();
  at::Tensor flat_own = own.flatten();
  group._reduce_scatter_base(flat_own, flat, options)->wait();
  return own;
}

void reduces_with_another_operation(RingMoves& moves, const MeshGroups& groups) {
  moves.sum_of_own = [group = groups.ring](const at::Tensor& by_owner) {
    return reduced(by_owner, *group);
  };
}

AttentionPass skips_the_last_barrier(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass pass = unified_parent().pass(options, groups);
  pass.backward = [right = pass.backward, groups](const AttentionSaved& saved,
                                                  const at::Tensor& grad_out,
                                                  const at::Tensor& grad_lse) {
    BackendGrads grads = right(saved, grad_out, grad_lse);
    if (groups.rank != kRankThatDiffers) groups.world->barrier()->wait();
    return grads;
  };
  return pass;
}

Mutant mismatch(const char* name, const char* fault, const char* smallest, const Parent& parent) {
  return make_mutant({name, "house", fault, kMatch, smallest}, implementation_of(name, parent));
}

}  // namespace

std::vector<Mutant> mismatched_exchange_mutants() {
  return {
      mismatch("house_swaps_a_tag", "k is sent with v's tag, and v with one that nobody expects",
               "mesh=2x1 rotate=p2p q=2 d=1", moving_parent(shifts_the_tags)),
      mismatch("house_sends_to_a_wrong_peer",
               "the sums of dk and dv go to the rank that they are awaited from",
               "mesh=3x1 rotate=p2p q=3 d=1", moving_parent(sends_back_where_it_receives)),
      mismatch("house_sends_twice", "the last sum of dk is sent twice and received once",
               "mesh=2x1 rotate=p2p q=2 d=1", moving_parent(sends_its_last_sum_twice)),
      mismatch("house_splits_wrongly", "rank 0 splits its all-to-all as no other does",
               "mesh=1x2 q=2 h=2 d=1", trading_parent(splits_unevenly)),
      mismatch("house_reduces_wrongly", "rank 0 reduces with MAX where the others SUM",
               "mesh=2x1 q=2 d=1", moving_parent(reduces_with_another_operation)),
      mismatch("house_skips_a_collective", "rank 0 leaves out the barrier at the end of backward",
               "mesh=2x1 q=2 d=1",
               {unified_parent().limits, skips_the_last_barrier, Method::unified}),
  };
}

}  // namespace attncheck
