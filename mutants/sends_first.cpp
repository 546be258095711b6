#include "mutants/sends_first.h"

#include "mutants/entry.h"
#include "mutants/ring_moves.h"

namespace attncheck {
namespace {

RingMoves::Hop blocking_hop(const RingCall& call, int tag) {
  return [=](const std::vector<at::Tensor>& xs, int) {
    const int degree = call.ring_degree, index = call.ring_index;
    post_sends(xs, *call.group, (index + 1) % degree, tag).wait();
    return post_receives(xs, *call.group, (index + degree - 1) % degree, tag);
  };
}

void sends_first(RingMoves& moves, const MeshGroups&) {
  moves.hop_of_keys = blocking_hop(moves.call, kKeysTag);
  moves.hop_of_sums = blocking_hop(moves.call, kSumsTag);
}

}  // namespace

Mutant sends_before_it_receives() {
  return make_mutant({.name = "C9",
                      .source = "several",
                      .fault = "every rank waits for its send before it posts its receive",
                      .property = "supported_case_runs_to_the_end",
                      .smallest = "mesh=3x1 rotate=p2p q=3 d=1"},
                     implementation_of("sends_first", moving_parent(sends_first)));
}

}  // namespace attncheck
