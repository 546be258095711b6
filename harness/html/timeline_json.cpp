#include "harness/html/timeline_json.h"

#include <fmt/format.h>

#include "harness/timeline/arrows.h"
#include "harness/timeline/critical_path.h"
#include "harness/timeline/totals.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

using Json = ReportJson;
using timeline::microseconds;
using timeline::Span;
using timeline::Totals;
using timeline::Trace;

constexpr int kMostRanks = 32;

const char* word_of(Span::Kind kind) {
  switch (kind) {
    case Span::Kind::compute:
      return "compute";
    case Span::Kind::post:
      return "post";
    case Span::Kind::wait:
      return "wait";
    case Span::Kind::transfer:
      return "transfer";
  }
  return "";
}

Json share_json(double part, double whole) {
  return whole > 0 ? Json(part / whole) : Json();
}

Json rank_json(const Mesh& mesh, int rank, const Totals& totals) {
  return {{"name", fmt::format("rank {} (ring {}, ulysses {})", rank, mesh.ring_index(rank),
                               mesh.ulysses_index(rank))},
          {"compute", share_json(totals.compute, totals.end)},
          {"post", share_json(totals.post, totals.end)},
          {"waited", share_json(totals.waited, totals.end)},
          {"received", totals.received},
          {"uncovered", share_json(totals.uncovered, totals.transfers)}};
}

Json span_json(const Trace& trace, const Span& span) {
  const bool computes = span.kind == Span::Kind::compute;
  return Json::array({span.rank, word_of(span.kind), microseconds(span.begin),
                      microseconds(span.end),
                      computes ? span.pass : trace.exchange_of(span).operation,
                      computes ? int64_t{0} : trace.exchange_of(span).bytes});
}

Json arrows_json(const Trace& trace) {
  Json arrows = Json::array();
  for (const timeline::Arrow& arrow : timeline::arrows_of(trace)) {
    if (arrow.from_rank >= kMostRanks || arrow.to_rank >= kMostRanks) continue;
    arrows.push_back({arrow.from_rank, microseconds(arrow.begin), arrow.to_rank,
                      microseconds(arrow.end), arrow.operation});
  }
  return arrows;
}

}  // namespace

Json timeline_json(const Trace& trace) {
  const std::vector<Totals> totals = timeline::totals_by_rank(trace);
  const std::vector<Span> path = timeline::critical_path(trace);
  const timeline::PathTotals whole = timeline::totals_of(path);
  Json json{{"case", to_text(trace.case_)},
            {"measured", trace.measured},
            {"all_ranks", totals.size()},
            {"end", microseconds(whole.end)},
            {"ranks", Json::array()},
            {"spans", Json::array()},
            {"path", Json::array()},
            {"arrows", arrows_json(trace)},
            {"path_shares",
             {{"compute", share_json(whole.compute, whole.end)},
              {"post", share_json(whole.post, whole.end)},
              {"transfer", share_json(whole.transfer, whole.end)}}}};
  for (int rank = 0; rank < static_cast<int>(totals.size()) && rank < kMostRanks; ++rank) {
    json["ranks"].push_back(rank_json(trace.case_.mesh, rank, totals[rank]));
  }
  for (const Span& span : trace.spans) {
    if (span.rank < kMostRanks) json["spans"].push_back(span_json(trace, span));
  }
  for (const Span& span : path) json["path"].push_back(span_json(trace, span));
  return json;
}

}  // namespace attncheck
