#include "harness/scale/trace.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/scale/record.h"
#include "problem/case_text.h"

namespace attncheck::scale {
namespace {

constexpr int kMostTracedRanks = 256;

struct Totals {
  double end = 0, compute = 0, waited = 0;
  double links = 0, uncovered = 0;  // what the links took; of it, while the rank waited
};

double overlap(const Span& a, const Span& b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

Totals totals_of(const Timetable& timetable, int rank) {
  Totals totals;
  std::vector<Span> waits, transfers;
  for (const Span& span : timetable.spans) {
    if (span.rank != rank) continue;
    if (span.kind == Span::Kind::transfer) {
      transfers.push_back(span);
      continue;
    }
    totals.end = std::max(totals.end, span.end);
    if (span.kind == Span::Kind::compute) totals.compute += span.end - span.begin;
    if (span.kind == Span::Kind::wait) waits.push_back(span);
  }
  for (const Span& wait : waits) totals.waited += wait.end - wait.begin;
  for (const Span& transfer : transfers) {
    totals.links += transfer.end - transfer.begin;
    for (const Span& wait : waits) totals.uncovered += overlap(transfer, wait);
  }
  return totals;
}

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.0f} %", 100 * part / whole) : std::string("-");
}

}  // namespace

Support can_trace(const Registry& registry, const Case& c) {
  const int world = c.mesh.world();
  if (registry.implementation(c.impl) == nullptr) {
    return Support::no("'" + c.impl + "' is no implementation of this program");
  }
  if (world > kMostTracedRanks) {
    return Support::no(fmt::format("{} ranks, at most {}", world, kMostTracedRanks));
  }
  if (c.problem.q_len % world != 0 || c.problem.kv_len % world != 0) {
    return Support::no(fmt::format("{} queries and {} keys do not divide into {} shards",
                                   c.problem.q_len, c.problem.kv_len, world));
  }
  return supports(registry, c);
}

Trace trace_of(const Registry& registry, const Case& c, const Machine& machine) {
  Trace trace{c, {}, {}, {}};
  for (int ring = 0; ring < c.mesh.ring; ++ring) {
    trace.scripts.push_back(record(registry, c, c.mesh.rank(ring, 0)));
  }
  trace.prediction = predict(trace.scripts, c.mesh, machine, &trace.timetable);
  return trace;
}

std::string trace_text(const Trace& trace) {
  std::string text = "predicted, in virtual time: " + to_text(trace.case_) + "\n";
  text += fmt::format("{:>9}  {:>10}  {:>8}  {:>8}  {:>12}  {:>10}\n", "ring rank", "time",
                      "compute", "waited", "received", "not hidden");
  for (size_t rank = 0; rank < trace.scripts.size(); ++rank) {
    const Totals totals = totals_of(trace.timetable, static_cast<int>(rank));
    text += fmt::format(
        "{:>9}  {:>7.1f} us  {:>8}  {:>8}  {:>9} kB  {:>10}\n", rank, 1e6 * totals.end,
        share_text(totals.compute, totals.end), share_text(totals.waited, totals.end),
        trace.scripts[rank].received_bytes() / 1000, share_text(totals.uncovered, totals.links));
  }
  return text;
}

}  // namespace attncheck::scale
