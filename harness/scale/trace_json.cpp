#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/scale/trace.h"
#include "problem/case_text.h"

namespace attncheck::scale {
namespace {

using Event = nlohmann::ordered_json;

constexpr int kProcess = 1;

// Nanoseconds are enough, and keep the file short.
double microseconds(double seconds) {
  return std::round(seconds * 1e9) / 1e3;
}

class TraceWriter {
 public:
  explicit TraceWriter(const Trace& trace) : trace_(trace), mesh_(trace.case_.mesh) {
    for (const Span& span : trace.timetable.spans) {
      ends_[{span.kind, span.rank, span.index}] = span.end;
    }
  }

  std::string text() {
    name("process_name", 0, "attncheck: " + to_text(trace_.case_));
    for (int rank = 0; rank < mesh_.world(); ++rank) {
      name("thread_name", rank,
           fmt::format("rank {} (ring {}, ulysses {})", rank, mesh_.ring_index(rank),
                       mesh_.ulysses_index(rank)));
    }
    for (int ulysses = 0; ulysses < mesh_.ulysses; ++ulysses) {
      for (const Span& span : trace_.timetable.spans) add(span, ulysses);
      for (const Meeting& meeting : trace_.timetable.meetings) {
        add_arrow(meeting, ulysses, ulysses);
      }
      add_trades(ulysses);
    }
    const Event all{{"displayTimeUnit", "ns"}, {"traceEvents", events_}};
    return all.dump() + "\n";
  }

 private:
  const Exchange& exchange_of(int ring, size_t index) const {
    return trace_.scripts[ring].exchanges[index];
  }

  void name(const char* what, int rank, const std::string& text) {
    events_.push_back({{"ph", "M"},
                       {"name", what},
                       {"pid", kProcess},
                       {"tid", rank},
                       {"args", {{"name", text}}}});
  }

  Event event(const char* phase, const std::string& text, const char* category, int rank,
              double seconds) const {
    return {{"ph", phase},     {"name", text}, {"cat", category},
            {"pid", kProcess}, {"tid", rank},  {"ts", microseconds(seconds)}};
  }

  static const char* axis_of(const Exchange& exchange) {
    return exchange.axis == Axis::ring ? "ring" : "ulysses";
  }

  void add(const Span& span, int ulysses) {
    const int rank = mesh_.rank(span.rank, ulysses);
    if (span.kind == Span::Kind::compute) {
      const Step& step = trace_.scripts[span.rank].steps[span.index];
      add_slice(span, event("X", step.pass, "compute", rank, span.begin), {{"flops", step.flops}});
      return;
    }
    const Exchange& exchange = exchange_of(span.rank, span.index);
    const Event facts{{"bytes", exchange.bytes}, {"axis", axis_of(exchange)}};
    const std::string operation = exchange.operation;
    if (span.kind == Span::Kind::transfer) {
      add_transfer(span, rank, exchange, facts);
    } else if (span.kind == Span::Kind::post) {
      add_slice(span, event("X", "post " + operation, "post", rank, span.begin), facts);
    } else {
      add_slice(span, event("X", "wait for " + operation, "wait", rank, span.begin), facts);
    }
  }

  void add_slice(const Span& span, Event slice, const Event& facts) {
    slice["dur"] = microseconds(span.end) - microseconds(span.begin);
    slice["args"] = facts;
    events_.push_back(std::move(slice));
  }

  // Beside the rank's track: its links carry data while it computes.
  void add_transfer(const Span& span, int rank, const Exchange& exchange, const Event& facts) {
    const std::string id = fmt::format("{} link of rank {}", axis_of(exchange), rank);
    Event begin = event("b", exchange.operation, "link", rank, span.begin);
    Event end = event("e", exchange.operation, "link", rank, span.end);
    begin["id"] = end["id"] = fmt::format("{}, {}", id, span.index);
    begin["args"] = facts;
    events_.push_back(std::move(begin));
    events_.push_back(std::move(end));
  }

  double time_of(Span::Kind kind, int ring, size_t exchange) const {
    const auto found = ends_.find({kind, ring, exchange});
    return found == ends_.end() ? -1 : found->second;
  }

  // From a post to the end of the wait for what came of it; none where nobody waits.
  void add_arrow(const Meeting& meeting, int from_ulysses, int to_ulysses) {
    const double begin = time_of(Span::Kind::post, meeting.from_rank, meeting.from_exchange);
    const double end = time_of(Span::Kind::wait, meeting.to_rank, meeting.to_exchange);
    if (begin < 0 || end < 0) return;
    const Exchange& exchange = exchange_of(meeting.from_rank, meeting.from_exchange);
    const int from = mesh_.rank(meeting.from_rank, from_ulysses);
    const int to = mesh_.rank(meeting.to_rank, to_ulysses);
    Event start = event("s", exchange.operation, "exchange", from, begin);
    Event finish = event("f", exchange.operation, "exchange", to, end);
    start["id"] = finish["id"] = ++arrows_;
    finish["bp"] = "e";
    events_.push_back(std::move(start));
    events_.push_back(std::move(finish));
  }

  // Ranks of one Ulysses group do the same at the same time.
  void add_trades(int from) {
    for (int ring = 0; ring < mesh_.ring; ++ring) {
      const std::vector<Exchange>& exchanges = trace_.scripts[ring].exchanges;
      for (size_t i = 0; i < exchanges.size(); ++i) {
        if (exchanges[i].axis != Axis::ulysses) continue;
        for (int to = 0; to < mesh_.ulysses; ++to) {
          if (to != from) add_arrow({ring, ring, i, i}, from, to);
        }
      }
    }
  }

  const Trace& trace_;
  const Mesh& mesh_;
  std::map<std::tuple<Span::Kind, int, size_t>, double> ends_;
  Event events_ = Event::array();
  int arrows_ = 0;
};

}  // namespace

std::string trace_json(const Trace& trace) {
  return TraceWriter(trace).text();
}

}  // namespace attncheck::scale
