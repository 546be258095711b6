#include "harness/timeline/critical_path.h"

#include <algorithm>
#include <map>
#include <utility>

namespace attncheck::timeline {
namespace {

using Key = std::pair<int, size_t>;  // a rank's exchange

class Chain {
 public:
  explicit Chain(const Trace& trace) : spans_(trace.exchanges.size()) {
    for (const Span& span : trace.spans) {
      if (span.kind == Span::Kind::post) posted_[{span.rank, span.exchange}] = span.begin;
      if (span.kind != Span::Kind::transfer) spans_.at(span.rank).push_back(span);
    }
    for (const Meeting& meeting : trace.meetings) {
      const Key from{meeting.from_rank, meeting.from_exchange};
      const Key to{meeting.to_rank, meeting.to_exchange};
      partners_[from].push_back(to);
      partners_[to].push_back(from);
    }
  }

  std::vector<Span> backwards() {
    std::vector<Span> chain;
    start();
    while (const Span* span = before_now()) {
      chain.push_back(span->kind == Span::Kind::wait ? step_to_poster(*span) : step(*span));
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

 private:
  void start() {
    for (const std::vector<Span>& own : spans_) {
      if (own.empty() || own.back().end <= now_) continue;
      now_ = own.back().end;
      rank_ = own.back().rank;
    }
  }

  // What the rank did until now; none at the begin of all.
  const Span* before_now() const {
    if (rank_ < 0) return nullptr;
    const std::vector<Span>& own = spans_[rank_];
    const auto after = std::partition_point(own.begin(), own.end(),
                                            [&](const Span& span) { return span.begin < now_; });
    return after == own.begin() ? nullptr : &*(after - 1);
  }

  Span step(Span span) {
    span.end = now_;
    now_ = span.begin;
    return span;
  }

  // Of the ranks of the exchange, the last that posted it.
  Span step_to_poster(const Span& wait) {
    const Key own{wait.rank, wait.exchange};
    double posted = -1;
    for (const Key& side : sides_of(own)) {
      const auto found = posted_.find(side);
      if (found == posted_.end() || found->second >= now_ || found->second <= posted) continue;
      posted = found->second;
      rank_ = side.first;
    }
    const double begin = posted < 0 ? wait.begin : posted;
    const Span transfer{Span::Kind::transfer, wait.rank, begin, now_, wait.exchange};
    now_ = begin;
    return transfer;
  }

  std::vector<Key> sides_of(const Key& own) const {
    std::vector<Key> sides{own};
    const auto partners = partners_.find(own);
    if (partners != partners_.end()) {
      sides.insert(sides.end(), partners->second.begin(), partners->second.end());
    }
    return sides;
  }

  std::vector<std::vector<Span>> spans_;  // by rank
  std::map<Key, double> posted_;
  std::map<Key, std::vector<Key>> partners_;
  double now_ = 0;
  int rank_ = -1;
};

}  // namespace

std::vector<Span> critical_path(const Trace& trace) {
  return Chain(trace).backwards();
}

}  // namespace attncheck::timeline
