#include "harness/html/timeline_json.h"

#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/timeline/critical_path.h"
#include "harness/timeline/totals.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

using Json = ReportJson;
using timeline::Meeting;
using timeline::Span;
using timeline::Totals;
using timeline::Trace;

constexpr int kMostRanks = 32;

double microseconds(double seconds) {
  return std::round(seconds * 1e9) / 1e3;
}

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

// From a post to the end of the wait for what came of it; none where nobody waits.
Json arrows_json(const Trace& trace) {
  std::map<std::pair<int, size_t>, double> posted, arrived;
  for (const Span& span : trace.spans) {
    if (span.kind == Span::Kind::post) posted[{span.rank, span.exchange}] = span.begin;
    if (span.kind == Span::Kind::wait) arrived[{span.rank, span.exchange}] = span.end;
  }
  Json arrows = Json::array();
  for (const Meeting& meeting : trace.meetings) {
    if (meeting.from_rank >= kMostRanks || meeting.to_rank >= kMostRanks) continue;
    const auto begin = posted.find({meeting.from_rank, meeting.from_exchange});
    const auto end = arrived.find({meeting.to_rank, meeting.to_exchange});
    if (begin == posted.end() || end == arrived.end()) continue;
    arrows.push_back({meeting.from_rank, microseconds(begin->second), meeting.to_rank,
                      microseconds(end->second),
                      trace.exchanges[meeting.from_rank][meeting.from_exchange].operation});
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
