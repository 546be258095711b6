#include "harness/timeline/measured.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/placement.h"
#include "harness/timeline/can_trace.h"

namespace attncheck::timeline {
namespace {

using timing::Diary;

// From the diaries to spans that count from the first rank's begin.
class Measurement {
  using Side = std::pair<int, size_t>;  // a rank's exchange

 public:
  Measurement(const std::vector<Diary>& diaries, Trace& trace) : diaries_(diaries), trace_(trace) {
    origin_ = diaries.front().begin;
    for (const Diary& diary : diaries) origin_ = std::min(origin_, diary.begin);
  }

  void fill() {
    for (int rank = 0; rank < static_cast<int>(diaries_.size()); ++rank) {
      trace_.exchanges.emplace_back();
      for (const Diary::Exchange& e : diaries_[rank].exchanges) {
        trace_.exchanges.back().push_back({e.operation, e.group, e.bytes});
      }
      add_deeds(rank);
    }
    add_meetings();
    add_transfers();
  }

 private:
  void add_deeds(int rank) {
    const Diary& diary = diaries_[rank];
    double now = origin_;
    for (const Diary::Deed& deed : diary.deeds) {
      add_computed(rank, now, deed.begin);
      const auto kind = deed.waited ? Span::Kind::wait : Span::Kind::post;
      if (!deed.waited) posted_[{rank, deed.exchange}] = deed.begin;
      add({kind, rank, std::max(now, deed.begin), deed.end, deed.exchange});
      now = std::max(now, deed.end);
    }
    add_computed(rank, now, diary.end);
  }

  // Cut where the pass went backward.
  void add_computed(int rank, double begin, double end) {
    const double turn = std::clamp(diaries_[rank].backward, begin, std::max(begin, end));
    if (turn > begin) add({Span::Kind::compute, rank, begin, turn, 0, "forward"});
    if (end > turn) add({Span::Kind::compute, rank, turn, end, 0, "backward"});
  }

  void add(Span span) {
    span.begin -= origin_;
    span.end -= origin_;
    trace_.spans.push_back(std::move(span));
  }

  // The n-th collective of a group is the same on all its ranks; the n-th send of a route meets its
  // n-th receive.
  void add_meetings() {
    for (int rank = 0; rank < static_cast<int>(diaries_.size()); ++rank) {
      std::map<std::tuple<std::string, int, int, bool>, size_t> counts;
      const std::vector<Diary::Exchange>& exchanges = diaries_[rank].exchanges;
      for (size_t i = 0; i < exchanges.size(); ++i) {
        const Diary::Exchange& e = exchanges[i];
        const size_t number = counts[{e.group, e.peer, e.tag, e.operation == "send"}]++;
        if (e.peer < 0) {
          collectives_[{e.group, first_member(e.group, rank), number}].push_back({rank, i});
        } else {
          add_message(rank, i, number);
        }
      }
    }
    for (const auto& [key, sides] : collectives_) join_all(sides);
  }

  void add_message(int rank, size_t exchange, size_t number) {
    const Diary::Exchange& e = diaries_[rank].exchanges[exchange];
    const bool sends = e.operation == "send";
    const int from = sends ? rank : e.peer, to = sends ? e.peer : rank;
    const std::tuple key{e.group, from, to, e.tag, number};
    const auto other = messages_.find(key);
    if (other == messages_.end()) {
      messages_[key] = exchange;
    } else {
      const size_t sent = sends ? exchange : other->second;
      trace_.meetings.push_back({from, to, sent, sends ? other->second : exchange});
      messages_.erase(other);
    }
  }

  int first_member(const std::string& group, int rank) const {
    const Mesh& mesh = trace_.case_.mesh;
    if (group == "ring") return mesh.ring_members(rank).front();
    return group == "ulysses" ? mesh.ulysses_members(rank).front() : 0;
  }

  void join_all(const std::vector<Side>& sides) {
    for (const Side& from : sides) {
      for (const Side& to : sides) {
        if (from.first == to.first) continue;
        trace_.meetings.push_back({from.first, to.first, from.second, to.second});
      }
    }
  }

  void add_transfers() {
    std::map<Side, double> begins;  // when the last of its ranks had posted it
    for (const Meeting& meeting : trace_.meetings) {
      const Side to{meeting.to_rank, meeting.to_exchange};
      double& begin = begins.try_emplace(to, posted_[to]).first->second;
      begin = std::max(begin, posted_[{meeting.from_rank, meeting.from_exchange}]);
    }
    for (int rank = 0; rank < static_cast<int>(diaries_.size()); ++rank) {
      for (const Diary::Deed& deed : diaries_[rank].deeds) {
        const auto begin = begins.find({rank, deed.exchange});
        if (!deed.waited || begin == begins.end()) continue;
        add({Span::Kind::transfer, rank, std::min(begin->second, deed.end), deed.end,
             deed.exchange});
      }
    }
  }

  const std::vector<Diary>& diaries_;
  Trace& trace_;
  double origin_ = 0;
  std::map<Side, double> posted_;
  std::map<std::tuple<std::string, int, size_t>, std::vector<Side>> collectives_;
  std::map<std::tuple<std::string, int, int, int, size_t>, size_t> messages_;
};

Diary answer_of(const RankReply& reply, size_t rank) {
  const std::string who = fmt::format("rank {}: ", rank);
  if (reply.outcome != RankReply::Outcome::answered) throw std::runtime_error(who + reply.note);
  Diary diary = timing::diary_from_bytes(reply.bytes);
  if (!diary.error.empty()) throw std::runtime_error(who + diary.error);
  return diary;
}

// Of several that did not answer, the one that was no mere bystander says why.
size_t worst_of(const std::vector<RankReply>& replies) {
  for (size_t rank = 0; rank < replies.size(); ++rank) {
    const RankReply::Outcome outcome = replies[rank].outcome;
    if (outcome != RankReply::Outcome::answered && outcome != RankReply::Outcome::bystander) {
      return rank;
    }
  }
  return 0;
}

}  // namespace

Support can_measure(const Registry& registry, const Case& c) {
  if (const Support traced = can_trace(registry, c); !traced) return traced;
  return registry.supports(c);
}

Trace measured(Transport& transport, const Case& c) {
  Launch launch;
  launch.mesh = c.mesh;
  launch.placement = whole_world(c.mesh);
  launch.request = timing::trace_request(c);
  const std::vector<RankReply> replies = transport.run(launch);
  const size_t worst = worst_of(replies);
  answer_of(replies.at(worst), worst);
  std::vector<Diary> diaries;
  for (size_t rank = 0; rank < replies.size(); ++rank) {
    diaries.push_back(answer_of(replies[rank], rank));
  }
  return measured(c, diaries);
}

Trace measured(const Case& c, const std::vector<Diary>& diaries) {
  Trace trace;
  trace.case_ = c;
  trace.measured = true;
  Measurement(diaries, trace).fill();
  return trace;
}

}  // namespace attncheck::timeline
