#include "mutants/systematic/transfer_operators.h"

#include <map>
#include <utility>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "mutants/systematic/narrowed.h"
#include "mutants/systematic/on_wires.h"
#include "mutants/systematic/pieces_of_trades.h"
#include "mutants/systematic/reaches.h"

namespace attncheck {
namespace {

WorkPtr nothing_to_wait_for() {
  return then({}, [] {});
}

// Looks at everything that is to arrive, in one place.
class ArrivalsWire : public Wire {
 public:
  WorkPtr gather(c10d::ProcessGroup& group, at::Tensor all, at::Tensor own) override {
    return arriving(group, all, [&] { return Wire::gather(group, all, own); });
  }
  WorkPtr trade(c10d::ProcessGroup& group, WireTrade trade) override {
    return arriving(group, trade.received, [&] { return Wire::trade(group, trade); });
  }
  WorkPtr receive(c10d::ProcessGroup& group, at::Tensor x, int from, int tag) override {
    return arriving(group, x, [&] { return Wire::receive(group, x, from, tag); });
  }

 private:
  virtual WorkPtr arriving(c10d::ProcessGroup& group, const at::Tensor& into,
                           const std::function<WorkPtr()>& post) = 0;
};

class DropsTheFirstWait final : public ArrivalsWire {
  WorkPtr arriving(c10d::ProcessGroup&, const at::Tensor&,
                   const std::function<WorkPtr()>& post) override {
    const WorkPtr work = post();
    return std::exchange(first_, false) ? nothing_to_wait_for() : work;
  }

  bool first_ = true;
};

// One buffer for each shape: what was received into it last is overwritten.
class ReusesABuffer final : public ArrivalsWire {
  WorkPtr arriving(c10d::ProcessGroup&, const at::Tensor& into,
                   const std::function<WorkPtr()>& post) override {
    return then(post(), [this, into] {
      if (last_.defined() && last_.sizes() == into.sizes()) last_.copy_(into);
      last_ = into;
    });
  }

  at::Tensor last_;
};

class LeavesOutOnRank0 final : public ArrivalsWire {
  WorkPtr arriving(c10d::ProcessGroup& group, const at::Tensor& into,
                   const std::function<WorkPtr()>& post) override {
    if (group.getRank() != 0 || !std::exchange(first_, false)) return post();
    into.zero_();
    return nothing_to_wait_for();
  }

  bool first_ = true;
};

class NarrowsWhatItSends final : public Wire {
  WorkPtr gather(c10d::ProcessGroup& group, at::Tensor all, at::Tensor own) override {
    return sending(own, [&](const at::Tensor& x) { return Wire::gather(group, all, x); });
  }
  WorkPtr trade(c10d::ProcessGroup& group, WireTrade trade) override {
    return sending(trade.sent, [&](const at::Tensor& x) {
      trade.sent = x;
      return Wire::trade(group, trade);
    });
  }
  WorkPtr send(c10d::ProcessGroup& group, at::Tensor x, int to, int tag) override {
    return sending(x, [&](const at::Tensor& sent) { return Wire::send(group, sent, to, tag); });
  }

  // What is sent lives until it was waited for.
  static WorkPtr sending(const at::Tensor& x,
                         const std::function<WorkPtr(const at::Tensor&)>& post) {
    const at::Tensor sent = narrowed(x);
    return then(post(sent), [sent] {});
  }
};

// The messages of the sums of dk and dv have tags from this one on; the equal trades of a ring's
// group are those that sum them where they do not travel.
constexpr int kFirstTagOfSums = 2;
constexpr int kTagsOfASpareHop = 8;

// The last of the hops that bring the sums home is left out, or is followed by another one.
class MiscountsTheHops final : public Wire {
 public:
  explicit MiscountsTheHops(int more) : more_(more) {}

  WorkPtr trade(c10d::ProcessGroup& group, WireTrade trade) override {
    if (!trade.sends.empty()) return Wire::trade(group, trade);
    const int ranks = group.getSize();
    const TradePieces pieces(trade.sent, {}, ranks);
    trade.sent =
        pieces.reordered([&](int peer) { return (peer - more_ + ranks) % ranks; }).joined();
    return Wire::trade(group, trade);
  }

  WorkPtr send(c10d::ProcessGroup& group, at::Tensor x, int to, int tag) override {
    if (!is_last_of_sums(group, tag, sends_)) return Wire::send(group, x, to, tag);
    to_ = to;
    kept_[tag] = x;
    return more_ < 0 ? nothing_to_wait_for() : Wire::send(group, x, to, tag);
  }

  WorkPtr receive(c10d::ProcessGroup& group, at::Tensor x, int from, int tag) override {
    if (!is_last_of_sums(group, tag, receives_)) return Wire::receive(group, x, from, tag);
    if (more_ < 0) return then({}, [this, x, tag] { x.copy_(kept_.at(tag)); });
    return then(Wire::receive(group, x, from, tag),
                [this, &group, x, from, tag] { hop_again(group, x, from, tag); });
  }

 private:
  // The hop of each tag that makes as many as there are ranks.
  static bool is_last_of_sums(c10d::ProcessGroup& group, int tag, std::map<int, int>& counts) {
    return tag >= kFirstTagOfSums && ++counts[tag] == group.getSize();
  }

  void hop_again(c10d::ProcessGroup& group, const at::Tensor& x, int from, int tag) {
    const at::Tensor sent = x.clone();
    const WorkPtr coming = Wire::receive(group, x, from, tag + kTagsOfASpareHop);
    const WorkPtr going = Wire::send(group, sent, to_, tag + kTagsOfASpareHop);
    coming->wait();
    going->wait();
  }

  int more_;  // 1: a hop too many; -1: one too few
  int to_ = 0;
  std::map<int, int> sends_, receives_;  // so far, by tag
  std::map<int, at::Tensor> kept_;       // by tag
};

// Where both are as large: elsewhere nobody would miss it.
void swap_ring_and_ulysses(MeshGroups& groups) {
  if (groups.mesh.ring == groups.mesh.ulysses) std::swap(groups.ring, groups.ulysses);
}

Changes on_swapped_groups() {
  Changes changes;
  changes.groups = swap_ring_and_ulysses;
  return changes;
}

template <typename WireType, typename... Arguments>
std::function<std::shared_ptr<Wire>()> made(Arguments... arguments) {
  return [=] { return std::make_shared<WireType>(arguments...); };
}

std::vector<Reach> on_two_ranks(const std::string& property = {}) {
  return {
      {{Method::ring, Method::unified, Method::allgather_kv}, kEachPass, "q=2 d=1", 2, property},
      {{Method::ulysses}, kEachPass, "q=2 h=2 d=1", 2, property}};
}

std::vector<Reach> of_sums() {
  return {{kInSteps, kBackward, "q=2 d=1 rotate=p2p", 2},
          {{Method::allgather_kv}, kBackward, "q=2 d=1", 2}};
}

}  // namespace

std::vector<Operator> transfer_operators() {
  return {
      {.name = "drops_a_wait",
       .fault = "the first exchange of a pass is read without having been waited for",
       .right = kOneRank,
       .changes = on_wires(made<DropsTheFirstWait>()),
       .reaches = on_two_ranks("every_work_is_waited_for")},
      {.name = "reuses_a_buffer",
       .fault = "what arrives is received into the buffer of what arrived before it in that shape",
       .right = kOneRank,
       .changes = on_wires(made<ReusesABuffer>()),
       .reaches = on_two_ranks()},
      {.name = "leaves_out_an_exchange",
       .fault = "rank 0 of a group takes no part in its first exchange and goes on with zeros",
       .right = kOneRank,
       .changes = on_wires(made<LeavesOutOnRank0>()),
       .reaches = on_two_ranks("collectives_match_on_all_ranks")},
      {.name = "narrows_what_it_sends",
       .fault = "what is sent is rounded to a narrower dtype",
       .right = kOneRank,
       .changes = on_wires(made<NarrowsWhatItSends>()),
       .reaches = on_two_ranks()},
      {.name = "brings_sums_home_a_hop_early",
       .fault = "the sums of dk and dv come home to the rank before their owner",
       .right = kOneRank,
       .changes = on_ring_wire(made<MiscountsTheHops>(-1)),
       .reaches = of_sums()},
      {.name = "brings_sums_home_a_hop_late",
       .fault = "the sums of dk and dv come home to the rank behind their owner",
       .right = kOneRank,
       .changes = on_ring_wire(made<MiscountsTheHops>(1)),
       .reaches = of_sums()},
      {.name = "swaps_two_groups",
       .fault = "the ring's group and the Ulysses group are taken for each other where they are as "
                "large",
       .right = "mesh=2x1 b=2 q=24 kv=12 h=4 hkv=2 d=3 dv=2 causal=1",
       .changes = on_swapped_groups(),
       .reaches = {{{Method::unified}, kEachAndBoth, "mesh=2x2 q=4 h=2 d=1"}}},
  };
}

}  // namespace attncheck
