#include "harness/html/report_html.h"

#include "harness/drive/report_json.h"
#include "harness/html/page.h"
#include "harness/html/picture_json.h"
#include "harness/html/timeline_json.h"

namespace attncheck {
namespace {

using Json = ReportJson;

struct Place {
  const StreamReport* stream;
  const PropertyResult* result;
};

// As the JSON report has them.
std::vector<Place> places(const CheckReport& report) {
  std::vector<Place> all;
  for (const StreamReport& stream : report.streams) {
    for (const PropertyResult& result : stream.results) all.push_back({&stream, &result});
  }
  return all;
}

Json known_json(const CheckReport& report, const PropertyResult& result) {
  if (result.word() != "known") return Json();
  return report.expectations.at(result.known.front().expectation).reason;
}

Json failure_json(const CheckReport& report, const Place& place, const FailurePicture& picture) {
  const PropertyResult& result = *place.result;
  const std::optional<Case> failing = result.failing_case();
  const std::optional<Evidence>& evidence = result.shown_evidence();
  const bool drawn = failing && result.drawn && *result.drawn != *failing;
  return {{"result", picture.result},
          {"stream", stream_name(place.stream->spec)},
          {"tensor", evidence ? evidence->tensor : ""},
          {"again", failing ? Json(result.replay_line()) : Json()},
          {"drawn", drawn ? Json(to_text(*result.drawn)) : Json()},
          {"shrunk_to_end", result.shrunk_to_end},
          {"known", known_json(report, result)},
          {"picture", picture_json(picture)}};
}

Json unchecked_json(const CheckReport& report) {
  Json lines = Json::array();
  for (const StreamReport& stream : report.streams) {
    for (const std::string& line : stream.unchecked()) lines.push_back(line);
  }
  for (const std::string& line : report.unjudged()) lines.push_back(line);
  return lines;
}

}  // namespace

std::string report_html(const CheckReport& report, const std::vector<FailurePicture>& pictures,
                        const std::vector<timeline::Trace>& timelines) {
  const std::vector<Place> all = places(report);
  Json data{{"report", Json::parse(report_json(report))},
            {"seconds", report.seconds},
            {"exit", report.exit_code()},
            {"unchecked", unchecked_json(report)},
            {"explains", Json::object()},
            {"reasons", Json::array()},
            {"failures", Json::array()},
            {"timelines", Json::array()}};
  for (const timeline::Trace& trace : timelines) data["timelines"].push_back(timeline_json(trace));
  for (const Place& place : all) {
    data["explains"][place.result->property] = place.result->explains;
    data["reasons"].push_back(place.result->reason);
  }
  for (const FailurePicture& picture : pictures) {
    data["failures"].push_back(failure_json(report, all.at(picture.result), picture));
  }
  return page_with("attncheck " + report.version + ": report", data);
}

std::string bench_html(const std::string& json) {
  const Json report = Json::parse(json);
  const auto version = report.at("attncheck").get<std::string>();
  const auto bench = report.at("bench").get<std::string>();
  return page_with("attncheck " + version + ": " + bench, {{"bench", report}});
}

std::string timeline_html(const timeline::Trace& trace, const std::string& version,
                          const std::string& libtorch) {
  const Json data{{"attncheck", version},
                  {"libtorch", libtorch},
                  {"timelines", Json::array({timeline_json(trace)})}};
  return page_with("attncheck " + version + ": timeline", data);
}

}  // namespace attncheck
