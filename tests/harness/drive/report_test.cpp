#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/drive/report_json.h"
#include "harness/drive/report_text.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

const char* const kCase = "impl=ring mesh=3x1 q=3 d=1 seed=17";

PropertyResult failed_result() {
  PropertyResult result;
  result.property = "gradients_match_reference";
  result.explains = "gradients are those of the reference";
  result.verdict = Verdict::Kind::fail;
  result.cases = 3;
  result.case_ = parse_case(kCase);
  Evidence evidence;
  evidence.tensor = "dk";
  evidence.error = 2.5;
  evidence.bound = 1e-14;
  evidence.rank = 1;
  evidence.shard = 1;
  evidence.index = {0, 2, 0, 1};
  evidence.expected = "0.25";
  evidence.got = "2.75";
  evidence.message = "dk of rank 1 is wrong";
  result.evidence = evidence;
  return result;
}

PropertyResult held_result() {
  PropertyResult result;
  result.property = "output_matches_reference";
  result.verdict = Verdict::Kind::pass;
  result.cases = 100;
  result.closest_call = 0.5;
  return result;
}

CheckReport checked_report(std::vector<PropertyResult> results) {
  CheckReport report;
  report.version = "0.1.0";
  report.libtorch = "2.11.0";
  report.seed = 42;
  StreamReport stream;
  stream.spec.impl = "ring";
  stream.cases = 100;
  stream.results = std::move(results);
  report.streams.push_back(stream);
  return report;
}

TEST(ReportText, SaysWhatTheTimeLimitCutOff) {
  CheckReport report = checked_report({held_result()});
  EXPECT_EQ(report_text(report).find("out of time"), std::string::npos);
  report.streams[0].out_of_time = true;
  report.streams[0].asked = 500;
  EXPECT_NE(report_text(report).find("out of time: 1 of 1 streams have fewer cases than were asked "
                                     "for: ring on math, sim, f64 (100 of 500)"),
            std::string::npos)
      << report_text(report);
  const auto stream = nlohmann::json::parse(report_json(report))["streams"][0];
  EXPECT_EQ(stream["out_of_time"], true);
  EXPECT_EQ(stream["asked"], 500);
}

TEST(ReportJson, HasTheCaseOfTheClosestCall) {
  PropertyResult held = held_result();
  held.closest_case = parse_case(kCase);
  const auto json = nlohmann::json::parse(report_json(checked_report({held, failed_result()})));
  EXPECT_EQ(json["results"][0]["closest"]["share"], 0.5);
  EXPECT_EQ(json["results"][0]["closest"]["case"], kCase);
  EXPECT_TRUE(json["results"][0]["case"].is_null());
  EXPECT_TRUE(json["results"][1]["closest"].is_null());
}

TEST(ReportText, SaysEverythingOfAFailure) {
  const std::string text = report_text(checked_report({held_result(), failed_result()}));
  for (const char* part :
       {"gradients_match_reference", "dk of rank 1 is wrong",
        "dk, rank 1, shard 1, index (0, 2, 0, 1)", "0.25", "2.75", "error    2.5, bound 1e-14",
        "attncheck replay 'impl=ring mesh=3x1 q=3 d=1 seed=17'", "seed 42"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(ReportText, NamesAPropertyThatJudgedNothing) {
  PropertyResult nothing;
  nothing.property = "lse_is_natural_log";
  nothing.reason = "needs return_lse=1";
  const std::string text = report_text(checked_report({held_result(), nothing}));
  EXPECT_NE(text.find("judged nothing: lse_is_natural_log (needs return_lse=1)"), std::string::npos)
      << text;
}

TEST(ReportJson, HasTheKeysOfTheDesign) {
  const auto json =
      nlohmann::json::parse(report_json(checked_report({held_result(), failed_result()})));
  EXPECT_EQ(json["attncheck"], "0.1.0");
  EXPECT_EQ(json["libtorch"], "2.11.0");
  EXPECT_EQ(json["seed"], 42);
  const auto& held = json["results"][0];
  EXPECT_EQ(held["verdict"], "pass");
  EXPECT_TRUE(held["case"].is_null());
  const auto& failed = json["results"][1];
  for (const char* key :
       {"impl", "backend", "transport", "dtype", "property", "verdict", "cases"}) {
    EXPECT_TRUE(failed.contains(key)) << key;
  }
  EXPECT_EQ(failed["case"], kCase);
  const auto& evidence = failed["evidence"];
  for (const char* key :
       {"error", "bound", "rank", "shard", "index", "expected", "got", "message"}) {
    EXPECT_TRUE(evidence.contains(key)) << key;
  }
  EXPECT_EQ(evidence["index"], (std::vector<int64_t>{0, 2, 0, 1}));
}

TEST(ReportJson, StaysValidForInfiniteErrorsAndBrokenText) {
  PropertyResult result = failed_result();
  result.evidence->error = std::numeric_limits<double>::infinity();
  result.evidence->message = "a rank printed \xff";
  const auto json = nlohmann::json::parse(report_json(checked_report({result})));
  EXPECT_TRUE(json["results"][0]["evidence"]["error"].is_null());
}

}  // namespace
}  // namespace attncheck
