#include "harness/drive/report_json.h"

#include <cmath>
#include <string>

#include "harness/drive/json_parts.h"

namespace attncheck {
namespace {

using Json = ReportJson;

Json evidence_json(const std::optional<Evidence>& evidence) {
  if (!evidence) return Json();
  return {{"error", evidence->error}, {"bound", evidence->bound},
          {"rank", evidence->rank},   {"shard", evidence->shard},
          {"index", evidence->index}, {"expected", evidence->expected},
          {"got", evidence->got},     {"message", evidence->message}};
}

// Of what held, the closest call has numbers and a place, and nothing to complain of.
std::optional<Evidence> evidence_of(const PropertyResult& result) {
  std::optional<Evidence> evidence = result.shown_evidence();
  if (evidence && result.word() == "pass") evidence->message.clear();
  return evidence;
}

Json closest_json(const PropertyResult& result) {
  if (!result.closest_case) return Json();
  return {{"share", result.closest_call}, {"case", to_text(*result.closest_case)}};
}

// An infinite error has no number in JSON.
Json shares_json(const PropertyResult& result) {
  Json shares = Json::object();
  for (const auto& [degree, share] : result.shares) {
    shares[std::to_string(degree)] = std::isfinite(share) ? Json(share) : Json();
  }
  return shares;
}

Json result_json(const StreamSpec& spec, const PropertyResult& result) {
  return {{"impl", spec.impl},
          {"backend", spec.backend},
          {"transport", spec.transport},
          {"dtype", to_text(spec.dtype)},
          {"property", result.property},
          {"verdict", result.word()},
          {"reason", result.reason},
          {"cases", result.cases},
          {"case", case_json(result.failing_case())},
          {"evidence", evidence_json(evidence_of(result))},
          {"closest", closest_json(result)},
          {"by_ring_degree", shares_json(result)}};
}

Json stream_json(const StreamReport& stream) {
  return {{"impl", stream.spec.impl},
          {"backend", stream.spec.backend},
          {"transport", stream.spec.transport},
          {"dtype", to_text(stream.spec.dtype)},
          {"cases", stream.cases},
          {"asked", stream.asked},
          {"broken", stream.broken},
          {"out_of_time", stream.out_of_time},
          {"runs", stream.runs},
          {"drawn", stream.draws.drawn},
          {"refused", stream.draws.refused},
          {"unchecked", stream.unchecked()},
          {"received_bytes", number_json(stream.received_bytes)},
          {"peak_bytes", number_json(stream.peak_bytes)}};
}

// What became of each line of the list of known failures.
Json expectations_json(const CheckReport& report) {
  Json list = Json::array();
  for (size_t i = 0; i < report.expectations.size(); ++i) {
    const Expectation& expectation = report.expectations[i];
    list.push_back({{"property", expectation.property},
                    {"words", expectation.words},
                    {"reason", expectation.reason},
                    {"state", report.state_of(i)},
                    {"failed", report.count_of(i).failed},
                    {"cases", report.count_of(i).judged}});
  }
  return list;
}

}  // namespace

std::string report_json(const CheckReport& report) {
  Json json = head_json(report);
  json["results"] = Json::array();
  for (const StreamReport& stream : report.streams) {
    for (const PropertyResult& result : stream.results) {
      json["results"].push_back(result_json(stream.spec, result));
    }
  }
  json["streams"] = Json::array();
  for (const StreamReport& stream : report.streams) json["streams"].push_back(stream_json(stream));
  if (!report.expectations.empty()) json["expectations"] = expectations_json(report);
  return dumped(json);
}

}  // namespace attncheck
