#include "harness/timeline/totals.h"

#include <algorithm>

namespace attncheck::timeline {
namespace {

double overlap(const Span& a, const Span& b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

// `spans` of one rank.
Totals totals_of_rank(const std::vector<Span>& spans) {
  Totals totals;
  for (const Span& span : spans) {
    switch (span.kind) {
      case Span::Kind::compute:
        totals.compute += span.seconds();
        break;
      case Span::Kind::post:
        totals.post += span.seconds();
        break;
      case Span::Kind::wait:
        totals.waited += span.seconds();
        break;
      case Span::Kind::transfer:
        totals.transfers += span.seconds();
        continue;
    }
    totals.end = std::max(totals.end, span.end);
  }
  for (const Span& transfer : spans) {
    if (transfer.kind != Span::Kind::transfer) continue;
    for (const Span& wait : spans) {
      if (wait.kind == Span::Kind::wait) totals.uncovered += overlap(transfer, wait);
    }
  }
  return totals;
}

}  // namespace

std::vector<Totals> totals_by_rank(const Trace& trace) {
  std::vector<std::vector<Span>> spans(trace.exchanges.size());
  for (const Span& span : trace.spans) spans.at(span.rank).push_back(span);
  std::vector<Totals> totals;
  for (size_t rank = 0; rank < spans.size(); ++rank) {
    totals.push_back(totals_of_rank(spans[rank]));
    for (const Exchange& exchange : trace.exchanges[rank]) {
      if (exchange.operation != "send") totals.back().received += exchange.bytes;
    }
  }
  return totals;
}

PathTotals totals_of(const std::vector<Span>& path) {
  PathTotals totals;
  for (const Span& span : path) {
    totals.end = std::max(totals.end, span.end);
    if (span.kind == Span::Kind::compute) totals.compute += span.seconds();
    if (span.kind == Span::Kind::post) totals.post += span.seconds();
    if (span.kind == Span::Kind::transfer) totals.transfer += span.seconds();
  }
  return totals;
}

}  // namespace attncheck::timeline
