#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/timeline/arrows.h"
#include "harness/timeline/critical_path.h"
#include "harness/timeline/trace.h"
#include "problem/case_text.h"

namespace attncheck::timeline {
namespace {

using Event = nlohmann::ordered_json;

constexpr int kRanks = 1, kCriticalPath = 2;  // processes

class TraceWriter {
 public:
  explicit TraceWriter(const Trace& trace) : trace_(trace) {}

  std::string text() {
    const Mesh& mesh = trace_.case_.mesh;
    name("process_name", kRanks, 0, "attncheck: " + to_text(trace_.case_));
    for (int rank = 0; rank < mesh.world(); ++rank) {
      name("thread_name", kRanks, rank,
           fmt::format("rank {} (ring {}, ulysses {})", rank, mesh.ring_index(rank),
                       mesh.ulysses_index(rank)));
    }
    for (const Span& span : trace_.spans) add(span);
    for (const Arrow& arrow : arrows_of(trace_)) add_arrow(arrow);
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

  void add_arrow(const Arrow& arrow) {
    Event start = event("s", arrow.operation, "exchange", arrow.from_rank, arrow.begin);
    Event finish = event("f", arrow.operation, "exchange", arrow.to_rank, arrow.end);
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
  Event events_ = Event::array();
  int arrows_ = 0;
};

}  // namespace

std::string trace_json(const Trace& trace) {
  return TraceWriter(trace).text();
}

}  // namespace attncheck::timeline
