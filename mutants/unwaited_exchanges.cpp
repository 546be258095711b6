#include "mutants/unwaited_exchanges.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/head_trades.h"
#include "mutants/pieces.h"
#include "mutants/ring_moves.h"

namespace attncheck {
namespace {

constexpr const char* kWaitedFor = "every_work_is_waited_for";

void adds_before_it_waits(RingMoves& moves, const MeshGroups&) {
  moves.add = [](const Flight& sums, const std::vector<at::Tensor>& own) {
    std::vector<at::Tensor> added{sums.received[0] + own[0], sums.received[1] + own[1]};
    sums.wait();
    return added;
  };
}

// The sends are posted after the receives, as they should be.
void drops_its_sends(RingMoves& moves, const MeshGroups&) {
  const RingCall call = moves.call;
  moves.hop_of_keys = [call](const std::vector<at::Tensor>& xs, int) {
    const int degree = call.ring_degree, index = call.ring_index;
    Flight coming = post_receives(xs, *call.group, (index + degree - 1) % degree, kKeysTag);
    post_sends(xs, *call.group, (index + 1) % degree, kKeysTag);
    return coming;
  };
}

// From heads back to the sequence; the joined pieces are a contiguous copy of a permuted view.
at::Tensor copied_before_it_arrives(const at::Tensor& x, c10d::ProcessGroup& group) {
  at::Tensor pieces = in_pieces(x, group.getSize(), kSequenceAxis);
  at::Tensor received = at::empty(pieces.sizes(), pieces.options());
  std::vector<int64_t> equal_splits;
  const auto work = group.alltoall_base(received, pieces, equal_splits, equal_splits);
  const at::Tensor joined = joined_pieces(received, kHeadsAxis);
  work->wait();
  return joined;
}

void copies_before_it_waits(HeadTrades& trades, const MeshGroups& groups) {
  trades.gradients_to_sequence = one_by_one([group = groups.ulysses](const at::Tensor& x) {
    return copied_before_it_arrives(x, *group);
  });
}

at::Tensor traded_in_place(const at::Tensor& x, c10d::ProcessGroup& group) {
  at::Tensor pieces = in_pieces(x, group.getSize(), kSequenceAxis);
  std::vector<int64_t> equal_splits;
  group.alltoall_base(pieces, pieces, equal_splits, equal_splits)->wait();
  return joined_pieces(pieces, kHeadsAxis);
}

void trades_in_place(HeadTrades& trades, const MeshGroups& groups) {
  trades.to_sequence = one_by_one(
      [group = groups.ulysses](const at::Tensor& x) { return traded_in_place(x, *group); });
}

}  // namespace

std::vector<Mutant> unwaited_exchange_mutants() {
  return {
      make_mutant({.name = "A6",
                   .source = "mindone PR 1438 (ring)",
                   .fault = "the sums of dk and dv are read before the receive that fills them was "
                            "waited for",
                   .property = kWaitedFor,
                   .smallest = "mesh=2x1 rotate=p2p q=2 d=1"},
                  implementation_of("adds_before_it_waits", moving_parent(adds_before_it_waits))),
      make_mutant(
          {.name = "C11",
           .source = "DeepSpeed #8342",
           .fault = "backward copies the output of an all-to-all before it was waited for",
           .property = kWaitedFor,
           .smallest = "mesh=1x2 q=2 h=2 d=1"},
          implementation_of("copies_before_it_waits", trading_parent(copies_before_it_waits))),
      make_mutant({.name = "house_drops_a_wait",
                   .source = "house",
                   .fault = "the Works of the sends of k and v are dropped",
                   .property = kWaitedFor,
                   .smallest = "mesh=2x1 rotate=p2p q=2 d=1"},
                  implementation_of("drops_its_sends", moving_parent(drops_its_sends))),
      make_mutant({.name = "house_aliases_an_exchange",
                   .source = "house",
                   .fault = "the all-to-all of out has its input for output",
                   .property = kWaitedFor,
                   .smallest = "mesh=1x2 q=2 h=2 d=1"},
                  implementation_of("trades_in_place", trading_parent(trades_in_place))),
  };
}

}  // namespace attncheck
