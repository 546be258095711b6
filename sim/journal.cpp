#include "sim/journal.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace attncheck::sim {

namespace {

constexpr size_t kMaxFindings = 20;

std::vector<Kind> kinds_by_name() {
  std::vector<Kind> kinds;
  for (int kind = 0; kind < kKinds; ++kind) kinds.push_back(static_cast<Kind>(kind));
  std::sort(kinds.begin(), kinds.end(),
            [](Kind a, Kind b) { return std::strcmp(name_of(a), name_of(b)) < 0; });
  return kinds;
}

}  // namespace

Journal::Journal(int size) : traces_(size), counts_(size * kKinds) {}

void Journal::start_run() {
  for (RankTrace& trace : traces_) {
    trace.findings.clear();
    trace.received.clear();
  }
  for (auto& counts : counts_) std::fill(counts.begin(), counts.end(), Count{});
}

void Journal::add(FindingKind kind, int rank, std::string operation, std::string text) {
  std::vector<Finding>& findings = traces_[rank].findings;
  if (findings.size() >= kMaxFindings) return;
  findings.push_back({kind, rank, std::move(operation), std::move(text)});
}

void Journal::forget(FindingKind kind, int rank) {
  std::erase_if(traces_[rank].findings,
                [kind](const Finding& finding) { return finding.kind == kind; });
}

void Journal::end_run() {
  for (size_t rank = 0; rank < traces_.size(); ++rank) sum_up(static_cast<int>(rank));
}

void Journal::sum_up(int rank) {
  static const std::vector<Kind> kinds = kinds_by_name();
  const int peers = static_cast<int>(traces_.size());
  for (int peer = 0; peer < peers; ++peer) {
    for (Kind kind : kinds) {
      const auto& counts = counts_[rank * kKinds + static_cast<int>(kind)];
      if (counts.empty() || counts[peer].messages == 0) continue;
      traces_[rank].received.push_back(
          {peer, name_of(kind), counts[peer].bytes, counts[peer].messages});
    }
  }
}

}  // namespace attncheck::sim
