#include "harness/scale/timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace attncheck::scale {
namespace {

// One side of an exchange.
struct Posted {
  int rank;
  size_t exchange;
  double time;
};

struct RankClock {
  size_t next = 0;  // step
  double now = 0, waited = 0, compute = 0;
  double ring_free = 0, ulysses_free = 0;  // when the link is
  size_t ring_collectives = 0;
  std::map<std::tuple<int, int>, size_t> sent, received;  // by peer and tag
  std::vector<std::optional<double>> done;                // by exchange
};

// Of those that end together, the one that computes more is the last.
bool ends_before(const RankClock& a, const RankClock& b) {
  return std::tuple(a.now, a.compute) < std::tuple(b.now, b.compute);
}

class Timeline {
 public:
  Timeline(const std::vector<Script>& scripts, const Mesh& mesh, const Machine& machine,
           Timetable* timetable)
      : scripts_(scripts),
        mesh_(mesh),
        machine_(machine),
        timetable_(timetable),
        ranks_(scripts.size()) {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].done.resize(scripts[rank].exchanges.size());
    }
  }

  Prediction run() {
    while (!ended()) {
      bool moved = false;
      for (size_t rank = 0; rank < ranks_.size(); ++rank) moved = advance(rank) || moved;
      if (!moved) throw std::invalid_argument("the ranks wait for an exchange that nobody posts");
    }
    const auto last = std::max_element(ranks_.begin(), ranks_.end(), ends_before);
    const Script& script = scripts_[last - ranks_.begin()];
    return {last->now, last->waited, last->compute, script.received_bytes()};
  }

 private:
  bool ended() const {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].next < scripts_[rank].steps.size()) return false;
    }
    return true;
  }

  // Until the rank waits for what has no end yet. Whether it moved.
  bool advance(size_t rank) {
    RankClock& clock = ranks_[rank];
    const std::vector<Step>& steps = scripts_[rank].steps;
    const size_t before = clock.next;
    while (clock.next < steps.size() && take(rank, steps[clock.next])) ++clock.next;
    return clock.next > before;
  }

  bool take(size_t rank, const Step& step) {
    RankClock& clock = ranks_[rank];
    if (step.kind == Step::Kind::post) {
      post(static_cast<int>(rank), step.exchange);
      return true;
    }
    if (step.kind == Step::Kind::compute) {
      const double seconds = step.flops / machine_.flops_per_second;
      note(Span{Span::Kind::compute, static_cast<int>(rank), clock.now, clock.now + seconds,
                clock.next});
      clock.now += seconds;
      clock.compute += seconds;
      return true;
    }
    const std::optional<double> done = clock.done[step.exchange];
    if (!done) return false;
    note(Span{Span::Kind::wait, static_cast<int>(rank), clock.now, std::max(clock.now, *done),
              step.exchange});
    clock.waited += std::max(0.0, *done - clock.now);
    clock.now = std::max(clock.now, *done);
    return true;
  }

  void post(int rank, size_t exchange) {
    const Exchange& posted = scripts_[rank].exchanges[exchange];
    const Posted side{rank, exchange, ranks_[rank].now};
    note(Span{Span::Kind::post, rank, side.time, side.time, exchange});
    if (posted.kind != Exchange::Kind::collective) return post_message(side, posted);
    if (posted.axis == Axis::ulysses) return finish_alone(side, posted);
    std::vector<Posted>& sides = collectives_[ranks_[rank].ring_collectives++];
    sides.push_back(side);
    if (sides.size() == ranks_.size()) finish_collective(sides);
  }

  // The other ranks of the Ulysses group do the same at the same time.
  void finish_alone(const Posted& side, const Exchange& exchange) {
    RankClock& clock = ranks_[side.rank];
    const Link& link = machine_.ulysses_link(mesh_);
    const double start = std::max(side.time, clock.ulysses_free);
    clock.ulysses_free = start + duration(link, exchange.bytes);
    clock.done[side.exchange] = clock.ulysses_free;
    note(Span{Span::Kind::transfer, side.rank, start, clock.ulysses_free, side.exchange});
  }

  void finish_collective(const std::vector<Posted>& sides) {
    double start = 0;
    for (const Posted& side : sides) {
      start = std::max({start, side.time, ranks_[side.rank].ring_free});
    }
    for (const Posted& side : sides) {
      RankClock& clock = ranks_[side.rank];
      const Exchange& exchange = scripts_[side.rank].exchanges[side.exchange];
      clock.ring_free = start + duration(machine_.ring_link(mesh_), exchange.bytes);
      clock.done[side.exchange] = clock.ring_free;
      note(Span{Span::Kind::transfer, side.rank, start, clock.ring_free, side.exchange});
      for (const Posted& from : sides) {
        if (from.rank != side.rank)
          note(Meeting{from.rank, side.rank, from.exchange, side.exchange});
      }
    }
  }

  // The n-th send of a route meets its n-th receive. What a rank sends does not slow what it
  // receives: its link is taken by what it receives.
  void post_message(const Posted& side, const Exchange& message) {
    const bool sends = message.kind == Exchange::Kind::send;
    const int from = sends ? side.rank : message.peer, to = sends ? message.peer : side.rank;
    auto& counts = sends ? ranks_[side.rank].sent : ranks_[side.rank].received;
    const size_t number = counts[{message.peer, message.tag}]++;
    const auto key = std::make_tuple(from, to, message.tag, number);
    const auto other = open_.find(key);
    if (other == open_.end()) {
      open_.emplace(key, side);
      return;
    }
    RankClock& receiver = ranks_[to];
    const double start = std::max({side.time, other->second.time, receiver.ring_free});
    receiver.ring_free = start + duration(machine_.ring_link(mesh_), message.bytes);
    for (const Posted& end : {side, other->second}) {
      ranks_[end.rank].done[end.exchange] = receiver.ring_free;
    }
    const Posted& sent = sends ? side : other->second;
    const Posted& received = sends ? other->second : side;
    note(Span{Span::Kind::transfer, to, start, receiver.ring_free, received.exchange});
    note(Meeting{from, to, sent.exchange, received.exchange});
    open_.erase(other);
  }

  void note(const Span& span) {
    if (timetable_ != nullptr) timetable_->spans.push_back(span);
  }
  void note(const Meeting& meeting) {
    if (timetable_ != nullptr) timetable_->meetings.push_back(meeting);
  }

  static double duration(const Link& link, int64_t bytes) {
    return link.seconds + static_cast<double>(bytes) / link.bytes_per_second;
  }

  const std::vector<Script>& scripts_;
  const Mesh& mesh_;
  const Machine& machine_;
  Timetable* timetable_;
  std::vector<RankClock> ranks_;
  std::map<size_t, std::vector<Posted>> collectives_;  // of the ring, by number
  std::map<std::tuple<int, int, int, size_t>, Posted> open_;
};

}  // namespace

Prediction predict(const std::vector<Script>& scripts, const Mesh& mesh, const Machine& machine,
                   Timetable* timetable) {
  return Timeline(scripts, mesh, machine, timetable).run();
}

}  // namespace attncheck::scale
