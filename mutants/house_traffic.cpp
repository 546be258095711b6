#include "mutants/house_traffic.h"

#include <utility>

#include <ATen/TensorOperators.h>

#include "mutants/entry.h"
#include "mutants/ring_moves.h"

namespace attncheck {
namespace {

// The first flight that is done, once there is one.
Flight take_arrived(std::vector<Flight>& coming) {
  for (size_t i = 0;; i = (i + 1) % coming.size()) {
    if (!coming[i].done()) continue;
    Flight arrived = std::move(coming[i]);
    coming.erase(coming.begin() + static_cast<std::ptrdiff_t>(i));
    arrived.wait();
    return arrived;
  }
}

at::Tensor sum_as_they_arrive(const at::Tensor& by_owner, const RingCall& call) {
  std::vector<Flight> coming, going;
  at::Tensor sum = by_owner.select(0, call.ring_index);
  for (int peer = 0; peer < call.ring_degree; ++peer) {
    if (peer == call.ring_index) continue;
    coming.push_back(post_receives({sum}, *call.group, peer, kSumsTag));
    going.push_back(post_sends({by_owner.select(0, peer)}, *call.group, peer, kSumsTag));
  }
  while (!coming.empty()) sum = sum + take_arrived(coming).received[0];
  for (const Flight& flight : going) flight.wait();
  return sum;
}

void follows_arrival(RingMoves& moves, const MeshGroups&) {
  moves.sum_of_own = [call = moves.call](const at::Tensor& by_owner) {
    return sum_as_they_arrive(by_owner, call);
  };
}

Mutant traffic(const char* name, const char* fault, const char* property, const char* smallest,
               std::function<void(RingMoves&, const MeshGroups&)> change) {
  return make_mutant({name, "house", fault, property, smallest},
                     implementation_of(name, moving_parent(std::move(change))));
}

}  // namespace

std::vector<Mutant> house_traffic_mutants() {
  return {
      traffic("house_follows_arrival",
              "the ranks' shares of dk and dv are added in the order in which they arrive",
              "schedule_does_not_matter", "mesh=4x1 q=4 d=8", follows_arrival),
      traffic("house_sends_keys_twice_around",
              "in forward the keys go around twice; the second time nobody looks at them",
              "bytes_match_theory", "mesh=2x1 rotate=p2p q=2 d=1",
              [](RingMoves& moves, const MeshGroups&) { moves.rounds = 2; }),
      traffic("house_keeps_every_block",
              "the keys of every rank that came by are kept for backward",
              "peak_memory_stays_within_shards", "mesh=4x1 rotate=p2p q=4 kv=32 d=4",
              [](RingMoves& moves, const MeshGroups&) { moves.keeps_blocks = true; }),
  };
}

}  // namespace attncheck
