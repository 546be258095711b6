#include "mutants/systematic/peer_operators.h"

#include <map>
#include <utility>

#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "mutants/systematic/on_wires.h"
#include "mutants/systematic/pieces_of_trades.h"
#include "mutants/systematic/reaches.h"

namespace attncheck {
namespace {

int wrapped(int rank, int ranks) {
  return (rank % ranks + ranks) % ranks;
}

// Where what is meant for a peer goes, and where what a peer is to send is awaited from. Each
// permutes the ranks of the group; what rank r sends to s is what s awaits from r.
struct PeerMap {
  int (*to)(int peer, int rank, int ranks);
  int (*from)(int peer, int rank, int ranks);
};

int mirrored(int peer, int rank, int ranks) {
  return wrapped(2 * rank - peer, ranks);
}
int next_peer(int peer, int, int ranks) {
  return wrapped(peer + 1, ranks);
}
int previous_peer(int peer, int, int ranks) {
  return wrapped(peer - 1, ranks);
}

constexpr PeerMap kTheOtherWay{mirrored, mirrored};
constexpr PeerMap kOneFurther{next_peer, previous_peer};

class MovedPeers final : public Wire {
 public:
  explicit MovedPeers(const PeerMap& map) : map_(map) {}

  WorkPtr gather(c10d::ProcessGroup& group, at::Tensor all, at::Tensor own) override {
    return then(Wire::gather(group, all, std::move(own)), [this, all, &group] {
      const TradePieces arrived(all, {}, group.getSize());
      all.copy_(arrived.reordered([&](int peer) { return from(group, peer); }).joined());
    });
  }

  WorkPtr trade(c10d::ProcessGroup& group, WireTrade trade) override {
    const int ranks = group.getSize();
    const TradePieces meant(trade.sent, trade.sends, ranks);
    std::vector<int> meant_for(ranks), labelled(ranks);  // by the rank itself
    for (int peer = 0; peer < ranks; ++peer) {
      meant_for[to(group, peer)] = peer;
      labelled[from(group, peer)] = peer;
    }
    const TradePieces sent = meant.reordered([&](int peer) { return meant_for[peer]; });
    const TradePieces coming =
        TradePieces(trade.received, trade.receives, ranks).reordered([&](int peer) {
          return labelled[peer];
        });
    const WireTrade moved{at::empty(trade.received.sizes(), trade.received.options()),
                          sent.joined(), coming.lengths(), sent.lengths()};
    const at::Tensor received = trade.received;
    return then(Wire::trade(group, moved), [this, moved, received, &group] {
      const TradePieces arrived(moved.received, moved.receives, group.getSize());
      received.copy_(arrived.reordered([&](int peer) { return from(group, peer); }).joined());
    });
  }

  // A message to oneself stays in this memory.
  WorkPtr send(c10d::ProcessGroup& group, at::Tensor x, int peer, int tag) override {
    const int real = to(group, peer);
    if (real != group.getRank()) return Wire::send(group, x, real, tag);
    kept_[tag] = x;
    return then({}, [] {});
  }
  WorkPtr receive(c10d::ProcessGroup& group, at::Tensor x, int peer, int tag) override {
    const int real = from(group, peer);
    if (real != group.getRank()) return Wire::receive(group, x, real, tag);
    return then({}, [this, x, tag] { x.copy_(kept_.at(tag)); });
  }

 private:
  int to(c10d::ProcessGroup& group, int peer) const {
    return map_.to(peer, group.getRank(), group.getSize());
  }
  int from(c10d::ProcessGroup& group, int peer) const {
    return map_.from(peer, group.getRank(), group.getSize());
  }

  PeerMap map_;
  std::map<int, at::Tensor> kept_;  // by tag
};

// What a gather or an all-to-all brings is taken for that of other ranks; messages have one sender.
class RelabelledArrivals : public Wire {
 public:
  using Relabel = std::function<void(TradePieces& arrived, int rank, int ranks)>;
  explicit RelabelledArrivals(Relabel relabel) : relabel_(std::move(relabel)) {}

  WorkPtr gather(c10d::ProcessGroup& group, at::Tensor all, at::Tensor own) override {
    return then(Wire::gather(group, all, std::move(own)),
                [this, all, &group] { relabel(group, all, {}); });
  }
  WorkPtr trade(c10d::ProcessGroup& group, WireTrade trade) override {
    return then(Wire::trade(group, trade),
                [this, trade, &group] { relabel(group, trade.received, trade.receives); });
  }

 private:
  void relabel(c10d::ProcessGroup& group, const at::Tensor& x,
               const std::vector<int64_t>& lengths) const {
    TradePieces arrived(x, lengths, group.getSize());
    if (!arrived.alike()) return;
    relabel_(arrived, group.getRank(), group.getSize());
    x.copy_(arrived.joined());
  }

  Relabel relabel_;
};

void in_reverse(TradePieces& arrived, int, int ranks) {
  arrived = arrived.reordered([ranks](int peer) { return ranks - 1 - peer; });
}

void own_for_the_next(TradePieces& arrived, int rank, int ranks) {
  arrived.at(wrapped(rank + 1, ranks)) = arrived.at(rank);
}

// A message brings what this rank has itself sent with that tag.
class OwnForTheNext final : public RelabelledArrivals {
 public:
  OwnForTheNext() : RelabelledArrivals(own_for_the_next) {}

  WorkPtr send(c10d::ProcessGroup& group, at::Tensor x, int to, int tag) override {
    sent_[tag] = x;
    return Wire::send(group, x, to, tag);
  }
  WorkPtr receive(c10d::ProcessGroup& group, at::Tensor x, int from, int tag) override {
    return then(Wire::receive(group, x, from, tag), [this, x, tag] {
      if (x.sizes() == sent_.at(tag).sizes()) x.copy_(sent_.at(tag));
    });
  }

 private:
  std::map<int, at::Tensor> sent_;  // by tag
};

}  // namespace

std::vector<Operator> peer_operators() {
  return {
      {.name = "goes_round_the_other_way",
       .fault = "what is meant for rank r + i goes to rank r - i, and what comes from there is "
                "taken for the other's",
       .right = kOneRank,
       .changes = on_wires([] { return std::make_shared<MovedPeers>(kTheOtherWay); }),
       .reaches = {{{Method::ring, Method::unified, Method::allgather_kv},
                    kEachPass,
                    "q=3 d=1 causal=1",
                    3},
                   {{Method::ulysses}, kEachPass, "q=3 h=3 d=1", 3}}},
      {.name = "talks_to_a_wrong_neighbour",
       .fault = "what is meant for a rank goes to the next one",
       .right = kOneRank,
       .changes = on_wires([] { return std::make_shared<MovedPeers>(kOneFurther); }),
       .reaches = {{{Method::ring, Method::unified}, kEachPass, "q=2 d=1 rotate=p2p", 2},
                   {{Method::ulysses}, kEachPass, "q=2 h=2 d=1 causal=1", 2},
                   {{Method::allgather_kv}, kEachPass, "q=2 d=1 causal=1", 2}}},
      {.name = "joins_in_reverse",
       .fault = "what a gather or an all-to-all brings is joined from the last rank to the first",
       .right = kOneRank,
       .changes = on_wires([] { return std::make_shared<RelabelledArrivals>(in_reverse); }),
       .reaches = {{{Method::ring, Method::unified, Method::allgather_kv},
                    kEachPass,
                    "q=2 d=1 causal=1",
                    2},
                   {{Method::ulysses}, kEachPass, "q=2 h=2 d=1", 2}}},
      {.name = "counts_its_own_shard_twice",
       .fault = "a rank takes its own for what the next one sent, or for what a message brought",
       .right = kOneRank,
       .changes = on_wires([] { return std::make_shared<OwnForTheNext>(); }),
       .reaches = {{{Method::ring, Method::unified, Method::allgather_kv}, kEachPass, "q=2 d=1", 2},
                   {{Method::ulysses}, kEachPass, "q=2 h=2 d=1", 2}}},
  };
}

}  // namespace attncheck
