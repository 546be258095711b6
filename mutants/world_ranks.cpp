#include "mutants/world_ranks.h"

#include <utility>

#include <ATen/ops/stack.h>

#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/equal_shards.h"
#include "mutants/head_trades.h"
#include "mutants/pieces.h"
#include "mutants/ring_moves.h"

namespace attncheck {
namespace {

constexpr const char* kSubgroups = "subgroups_of_a_larger_world_work";
constexpr int kTradesTag = 6;

// Modulo the ring, so that nothing is out of range.
void hops_by_world_rank(RingMoves& moves, const MeshGroups& groups) {
  const int degree = moves.call.ring_degree;
  hop_between(moves, moves.call.group, (groups.world_rank + 1) % degree,
              (groups.world_rank + degree - 1) % degree);
}

// Ranks of the mesh's group that a rank takes for its ring or its Ulysses group.
struct Peers {
  KeptGroup group;
  std::vector<int> ranks;
  int own = 0;  // the one that the rank takes itself for
};

// As if rank 0 of the launched world were rank 0 of the mesh.
Peers ulysses_peers(const MeshGroups& groups) {
  const int degree = groups.mesh.ulysses, rank = groups.world_rank;
  Peers peers{keep(groups.world), {}, rank % degree};
  const int first = rank - peers.own;
  for (int i = 0; i < degree; ++i) peers.ranks.push_back((first + i) % groups.mesh.world());
  return peers;
}

Peers ring_peers(const MeshGroups& groups) {
  const int apart = groups.mesh.ulysses, rank = groups.world_rank;
  Peers peers{keep(groups.world), {}, rank / apart % groups.mesh.ring};
  for (int i = 0; i < groups.mesh.ring; ++i) peers.ranks.push_back(i * apart + rank % apart);
  return peers;
}

// pieces (ranks, ...): piece i to peer i; what arrives, by peer.
at::Tensor traded_with(const Peers& peers, const at::Tensor& pieces) {
  std::vector<at::Tensor> arrived = pieces.unbind();
  std::vector<std::pair<size_t, Flight>> coming;
  std::vector<Flight> going;
  for (size_t i = 0; i < arrived.size(); ++i) {
    if (static_cast<int>(i) == peers.own) continue;
    coming.emplace_back(i, post_receives({arrived[i]}, *peers.group, peers.ranks[i], kTradesTag));
  }
  for (const auto& [i, flight] : coming) {
    going.push_back(post_sends({arrived[i]}, *peers.group, peers.ranks[i], kTradesTag));
  }
  for (auto& [i, flight] : coming) {
    flight.wait();
    arrived[i] = flight.received[0];
  }
  for (const Flight& flight : going) flight.wait();
  return at::stack(arrived);
}

HeadTrades trades_with(const Peers& peers) {
  const auto along = [peers](int64_t scattered, int64_t joined) {
    return one_by_one([=](const at::Tensor& x) {
      const auto ranks = static_cast<int64_t>(peers.ranks.size());
      if (ranks == 1) return x;
      return joined_pieces(traded_with(peers, in_pieces(x, ranks, scattered)), joined);
    });
  };
  const auto there = along(kHeadsAxis, kSequenceAxis), back = along(kSequenceAxis, kHeadsAxis);
  return {there, back, there, back};
}

RingMoves moves_between(const RingCall& call, const Peers& peers) {
  RingMoves moves = right_moves(call);
  const int degree = call.ring_degree;
  hop_between(moves, peers.group, peers.ranks[(peers.own + 1) % degree],
              peers.ranks[(peers.own + degree - 1) % degree]);
  moves.gather = [=](const at::Tensor& x) {
    return traded_with(peers, at::stack(std::vector<at::Tensor>(degree, x)));
  };
  moves.sum_of_own = [=](const at::Tensor& by_owner) {
    return traded_with(peers, by_owner).sum(0);
  };
  return moves;
}

AttentionPass of_consecutive_ranks(const AttentionOptions& options, const MeshGroups& groups) {
  const RingMoves moves = moves_between(ring_call(options, groups), ring_peers(groups));
  return exchanged_pass(moving_pass(moves), trades_with(ulysses_peers(groups)), options.return_lse);
}

}  // namespace

std::vector<Mutant> world_rank_mutants() {
  return {
      make_mutant({.name = "C7",
                   .source = "rfa commit 7895974, DeepSpeed #7672",
                   .fault = "the rank in the launched world is taken for the rank in the ring",
                   .property = kSubgroups,
                   .smallest = "mesh=2x1 rotate=p2p q=2 h=1 d=1"},
                  implementation_of("hops_by_world_rank", moving_parent(hops_by_world_rank))),
      make_mutant(
          {.name = "C8",
           .source = "sglang #16532",
           .fault = "the groups are taken to be consecutive ranks of the launched world",
           .property = kSubgroups,
           .smallest = "mesh=2x2 q=4 h=2 d=1"},
          implementation_of("of_consecutive_ranks", {of_equal_shards(unified_parent().limits),
                                                     of_consecutive_ranks, Method::unified})),
  };
}

}  // namespace attncheck
