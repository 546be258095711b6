#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/timeline/critical_path.h"
#include "harness/timeline/trace.h"
#include "problem/case_text.h"

namespace attncheck::timeline {
namespace {

using Event = nlohmann::ordered_json;

constexpr int kRanks = 1, kCriticalPath = 2;  // processes

// Nanoseconds are enough, and keep the file short.
double microseconds(double seconds) {
  return std::round(seconds * 1e9) / 1e3;
}

class TraceWriter {
 public:
  explicit TraceWriter(const Trace& trace) : trace_(trace) {
    for (const Span& span : trace.spans) {
      const bool begins = span.kind == Span::Kind::post;  // an arrow, which a wait ends
      arrow_times_[{span.kind, span.rank, span.exchange}] = begins ? span.begin : span.end;
    }
  }

  std::string text() {
    const Mesh& mesh = trace_.case_.mesh;
    name("process_name", kRanks, 0, "attncheck: " + to_text(trace_.case_));
    for (int rank = 0; rank < mesh.world(); ++rank) {
      name("thread_name", kRanks, rank,
           fmt::format("rank {} (ring {}, ulysses {})", rank, mesh.ring_index(rank),
                       mesh.ulysses_index(rank)));
    }
    for (const Span& span : trace_.spans) add(span);
    for (const Meeting& meeting : trace_.meetings) add_arrow(meeting);
    add_critical_path();
    const Event all{{"displayTimeUnit", "ns"}, {"traceEvents", events_}};
    return all.dump() + "\n";
  }

 private:
  void name(const char* what, int process, int thread, const std::string& text) {
    events_.push_back({{"ph", "M"},
                       {"name", what},
                       {"pid", process},
                       {"tid", thread},
                       {"args", {{"name", text}}}});
  }

  static Event event(const char* phase, const std::string& text, const char* category, int rank,
                     double seconds) {
    return {{"ph", phase},   {"name", text}, {"cat", category},
            {"pid", kRanks}, {"tid", rank},  {"ts", microseconds(seconds)}};
  }

  static const char* category_of(Span::Kind kind) {
    switch (kind) {
      case Span::Kind::compute:
        return "compute";
      case Span::Kind::post:
        return "post";
      case Span::Kind::wait:
        return "wait";
      case Span::Kind::transfer:
        return "link";
    }
    return "";
  }

  std::string name_of(const Span& span) const {
    if (span.kind == Span::Kind::compute) return span.pass;
    const std::string& operation = trace_.exchange_of(span).operation;
    if (span.kind == Span::Kind::post) return "post " + operation;
    return span.kind == Span::Kind::wait ? "wait for " + operation : operation;
  }

  Event facts_of(const Span& span) const {
    if (span.kind == Span::Kind::compute)
      return span.flops > 0 ? Event{{"flops", span.flops}} : Event::object();
    const Exchange& exchange = trace_.exchange_of(span);
    return {{"bytes", exchange.bytes}, {"axis", exchange.group}};
  }

  Event slice_of(const Span& span) const {
    Event slice = event("X", name_of(span), category_of(span.kind), span.rank, span.begin);
    slice["dur"] = microseconds(span.end) - microseconds(span.begin);
    slice["args"] = facts_of(span);
    return slice;
  }

  void add(const Span& span) {
    if (span.kind == Span::Kind::transfer) {
      add_transfer(span);
    } else {
      events_.push_back(slice_of(span));
    }
  }

  // Beside the rank's track: its links carry data while it computes.
  void add_transfer(const Span& span) {
    const std::string& group = trace_.exchange_of(span).group;
    Event begin = event("b", name_of(span), category_of(span.kind), span.rank, span.begin);
    Event end = event("e", name_of(span), category_of(span.kind), span.rank, span.end);
    begin["id"] = end["id"] =
        fmt::format("{} link of rank {}, {}", group, span.rank, span.exchange);
    begin["args"] = facts_of(span);
    events_.push_back(std::move(begin));
    events_.push_back(std::move(end));
  }

  double time_of(Span::Kind kind, int rank, size_t exchange) const {
    const auto found = arrow_times_.find({kind, rank, exchange});
    return found == arrow_times_.end() ? -1 : found->second;
  }

  // From a post to the end of the wait for what came of it; none where nobody waits.
  void add_arrow(const Meeting& meeting) {
    const double begin = time_of(Span::Kind::post, meeting.from_rank, meeting.from_exchange);
    const double end = time_of(Span::Kind::wait, meeting.to_rank, meeting.to_exchange);
    if (begin < 0 || end < 0) return;
    const Exchange& exchange = trace_.exchanges[meeting.from_rank][meeting.from_exchange];
    Event start = event("s", exchange.operation, "exchange", meeting.from_rank, begin);
    Event finish = event("f", exchange.operation, "exchange", meeting.to_rank, end);
    start["id"] = finish["id"] = ++arrows_;
    finish["bp"] = "e";
    events_.push_back(std::move(start));
    events_.push_back(std::move(finish));
  }

  void add_critical_path() {
    name("process_name", kCriticalPath, 0, "critical path");
    name("thread_name", kCriticalPath, 0, "critical path");
    for (const Span& span : critical_path(trace_)) {
      Event slice = slice_of(span);
      slice["name"] = fmt::format("rank {}: {}", span.rank, name_of(span));
      slice["pid"] = kCriticalPath;
      slice["tid"] = 0;
      slice["args"]["rank"] = span.rank;
      events_.push_back(std::move(slice));
    }
  }

  const Trace& trace_;
  std::map<std::tuple<Span::Kind, int, size_t>, double> arrow_times_;
  Event events_ = Event::array();
  int arrows_ = 0;
};

}  // namespace

std::string trace_json(const Trace& trace) {
  return TraceWriter(trace).text();
}

}  // namespace attncheck::timeline
