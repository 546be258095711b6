#include <fmt/format.h>

#include "harness/timeline/critical_path.h"
#include "harness/timeline/totals.h"
#include "harness/timeline/trace.h"
#include "problem/case_text.h"

namespace attncheck::timeline {
namespace {

constexpr size_t kShownRanks = 12;  // of a critical path

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
  const PathTotals totals = totals_of(path);
  return fmt::format("critical path: {:.1f} us: compute {}, posts {}, exchanges {}; {}\n",
                     1e6 * totals.end, share_text(totals.compute, totals.end),
                     share_text(totals.post, totals.end), share_text(totals.transfer, totals.end),
                     ranks_text(path));
}

}  // namespace

std::string trace_text(const Trace& trace) {
  std::string text = trace.measured ? "measured, in wall time: " : "predicted, in virtual time: ";
  text += to_text(trace.case_) + "\n";
  text += fmt::format("{:>4}  {:>13}  {:>7}  {:>5}  {:>6}  {:>12}  {:>10}\n", "rank", "time",
                      "compute", "posts", "waited", "received", "not hidden");
  const std::vector<Totals> all = totals_by_rank(trace);
  for (int rank = 0; rank < trace.case_.mesh.world(); ++rank) {
    if (!is_shown(trace, rank)) continue;
    const Totals& totals = all.at(rank);
    text += fmt::format("{:>4}  {:>10.1f} us  {:>7}  {:>5}  {:>6}  {:>9} kB  {:>10}\n", rank,
                        1e6 * totals.end, share_text(totals.compute, totals.end),
                        share_text(totals.post, totals.end), share_text(totals.waited, totals.end),
                        totals.received / 1000, share_text(totals.uncovered, totals.transfers));
  }
  return text + path_text(trace);
}

}  // namespace attncheck::timeline
