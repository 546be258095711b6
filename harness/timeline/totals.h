#pragma once

#include "harness/timeline/trace.h"

namespace attncheck::timeline {

// Of one rank, in seconds.
struct Totals {
  double end = 0, compute = 0, post = 0, waited = 0;
  double transfers = 0, uncovered = 0;  // of the transfers, while the rank waited
  int64_t received = 0;                 // bytes
};

std::vector<Totals> totals_by_rank(const Trace& trace);

// Of a critical path, by what it is made of.
struct PathTotals {
  double end = 0, compute = 0, post = 0, transfer = 0;
};

PathTotals totals_of(const std::vector<Span>& path);

}  // namespace attncheck::timeline
