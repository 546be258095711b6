#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/ring/ring_call.h"
#include "mutants/messages.h"
#include "mutants/parents.h"

namespace attncheck {

// The tags of k and of the sum of dk; those of v and of the sum of dv follow them.
inline constexpr int kKeysTag = 0;
inline constexpr int kSumsTag = 3;

// A ring in the ways that its tensors move, of which a mutant replaces one. As right_moves gives
// it, it is right, and moves what the ring moves.
struct RingMoves {
  using Hop = std::function<Flight(const std::vector<at::Tensor>& xs, int step)>;

  RingCall call;
  // rotate=allgather. x of every rank, along a new first axis: (R, ...).
  std::function<at::Tensor(const at::Tensor& x)> gather;
  // The sum over the ranks of their piece of (R, ...) that is this rank's: (...).
  std::function<at::Tensor(const at::Tensor& by_owner)> sum_of_own;
  // rotate=p2p. To the next rank, and what comes from the one before, after step `step`.
  Hop hop_of_keys, hop_of_sums;
  // The sums that come in and this step's own gradients.
  std::function<std::vector<at::Tensor>(const Flight& sums, const std::vector<at::Tensor>& own)>
      add;
  int rounds = 1;             // how often the keys go around in forward
  bool keeps_blocks = false;  // backward has the keys of every rank from forward
};

RingMoves right_moves(const RingCall& call);

// Both hops go to the rank `to` of `group` and come from its rank `from`.
void hop_between(RingMoves& moves, const KeptGroup& group, int to, int from);

AttentionPass moving_pass(const RingMoves& moves);

// A parent on meshes Rx1 that makes the moves that `change` makes of right ones.
Parent moving_parent(std::function<void(RingMoves&, const MeshGroups&)> change);

}  // namespace attncheck
