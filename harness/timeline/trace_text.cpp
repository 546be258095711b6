#include <algorithm>

#include <fmt/format.h>

#include "harness/timeline/critical_path.h"
#include "harness/timeline/trace.h"
#include "problem/case_text.h"

namespace attncheck::timeline {
namespace {

constexpr size_t kShownRanks = 12;  // of a critical path

struct Totals {
  double end = 0, compute = 0, post = 0, waited = 0;
  double transfers = 0, uncovered = 0;  // of the transfers, while the rank waited
  int64_t received = 0;                 // bytes
};

double overlap(const Span& a, const Span& b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

Totals totals_of(const Trace& trace, int rank) {
  Totals totals;
  std::vector<Span> waits, transfers;
  for (const Span& span : trace.spans) {
    if (span.rank != rank) continue;
    if (span.kind == Span::Kind::transfer) {
      transfers.push_back(span);
      continue;
    }
    totals.end = std::max(totals.end, span.end);
    if (span.kind == Span::Kind::compute) totals.compute += span.seconds();
    if (span.kind == Span::Kind::post) totals.post += span.seconds();
    if (span.kind == Span::Kind::wait) waits.push_back(span);
  }
  for (const Span& wait : waits) totals.waited += wait.seconds();
  for (const Span& transfer : transfers) {
    totals.transfers += transfer.seconds();
    for (const Span& wait : waits) totals.uncovered += overlap(transfer, wait);
  }
  for (const Exchange& exchange : trace.exchanges.at(rank)) {
    if (exchange.operation != "send") totals.received += exchange.bytes;
  }
  return totals;
}

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.0f} %", 100 * part / whole) : std::string("-");
}

bool is_shown(const Trace& trace, int rank) {
  return trace.measured || trace.case_.mesh.ulysses_index(rank) == 0;
}

// Whose work, or whose data, the path goes through, one after the other.
std::string ranks_text(const std::vector<Span>& path) {
  std::vector<int> ranks;
  for (const Span& span : path) {
    if (ranks.empty() || ranks.back() != span.rank) ranks.push_back(span.rank);
  }
  std::string text = ranks.size() > 1 ? "ranks" : "rank";
  for (size_t i = 0; i < ranks.size() && i < kShownRanks; ++i) {
    text += fmt::format("{} {}", i > 0 ? "," : "", ranks[i]);
  }
  return ranks.size() > kShownRanks ? text + ", ..." : text;
}

std::string path_text(const Trace& trace) {
  const std::vector<Span> path = critical_path(trace);
  if (path.empty()) return "";
  double by_kind[4] = {};
  for (const Span& span : path) by_kind[static_cast<int>(span.kind)] += span.seconds();
  const double all = path.back().end;
  const auto share = [&](Span::Kind kind) {
    return share_text(by_kind[static_cast<int>(kind)], all);
  };
  return fmt::format("critical path: {:.1f} us: compute {}, posts {}, exchanges {}; {}\n",
                     1e6 * all, share(Span::Kind::compute), share(Span::Kind::post),
                     share(Span::Kind::transfer), ranks_text(path));
}

}  // namespace

std::string trace_text(const Trace& trace) {
  std::string text = trace.measured ? "measured, in wall time: " : "predicted, in virtual time: ";
  text += to_text(trace.case_) + "\n";
  text += fmt::format("{:>4}  {:>13}  {:>7}  {:>5}  {:>6}  {:>12}  {:>10}\n", "rank", "time",
                      "compute", "posts", "waited", "received", "not hidden");
  for (int rank = 0; rank < trace.case_.mesh.world(); ++rank) {
    if (!is_shown(trace, rank)) continue;
    const Totals totals = totals_of(trace, rank);
    text += fmt::format("{:>4}  {:>10.1f} us  {:>7}  {:>5}  {:>6}  {:>9} kB  {:>10}\n", rank,
                        1e6 * totals.end, share_text(totals.compute, totals.end),
                        share_text(totals.post, totals.end), share_text(totals.waited, totals.end),
                        totals.received / 1000, share_text(totals.uncovered, totals.transfers));
  }
  return text + path_text(trace);
}

}  // namespace attncheck::timeline
