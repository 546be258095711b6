#include "harness/drive/compare_reports.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/drive/hunt_report.h"
#include "harness/drive/report_json.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

const char* const kFailing = "impl=ring mesh=3x1 q=3 d=1 seed=17";

PropertyResult passing_result(const std::string& property, double error) {
  PropertyResult result;
  result.property = property;
  result.verdict = Verdict::Kind::pass;
  result.cases = 10;
  result.evidence = Evidence{};
  result.evidence->error = error;
  result.evidence->bound = 1.0;
  return result;
}

PropertyResult failing_result(const std::string& property) {
  PropertyResult result = passing_result(property, 7.0);
  result.verdict = Verdict::Kind::fail;
  result.case_ = parse_case(kFailing);
  return result;
}

PropertyResult without_verdict(const std::string& property) {
  PropertyResult result;
  result.property = property;
  return result;
}

CheckReport run_report(std::vector<PropertyResult> results) {
  CheckReport report;
  report.version = "0.1.0";
  report.libtorch = "2.11.0";
  report.seed = 4;
  StreamReport stream;
  stream.spec.impl = "ring";
  stream.cases = 10;
  stream.received_bytes = 1000;
  stream.peak_bytes = 400;
  stream.results = std::move(results);
  report.streams.push_back(std::move(stream));
  return report;
}

Comparison compared(const CheckReport& before, const CheckReport& after) {
  return compare_reports(report_json(before), report_json(after));
}

TEST(CompareReports, OfOneRunWithItselfFindNothing) {
  const CheckReport report = run_report({passing_result("a", 0.5), failing_result("b")});
  const Comparison same = compared(report, report);
  EXPECT_EQ(same.exit_code(), 0);
  EXPECT_EQ(same.same, 1);
  ASSERT_EQ(same.failing.size(), 1u);
  EXPECT_TRUE(same.broken.empty() && same.fixed.empty() && same.lost.empty());
  EXPECT_TRUE(same.drifts.empty());
}

TEST(CompareReports, NameANewFailureWithItsCase) {
  const Comparison worse =
      compared(run_report({passing_result("a", 0.5)}), run_report({failing_result("a")}));
  EXPECT_EQ(worse.exit_code(), 1);
  ASSERT_EQ(worse.broken.size(), 1u);
  EXPECT_EQ(worse.broken[0].where, "ring on math, sim, f64: a");
  EXPECT_EQ(worse.broken[0].case_text, to_text(parse_case(kFailing)));
  EXPECT_NE(comparison_text(worse).find(to_text(parse_case(kFailing))), std::string::npos);
}

TEST(CompareReports, CountAFailureOfWhatIsNewAsNew) {
  EXPECT_EQ(compared(run_report({}), run_report({failing_result("a")})).exit_code(), 1);
}

TEST(CompareReports, TellWhatIsFixedFromWhatIsNoLongerJudged) {
  const CheckReport before =
      run_report({failing_result("a"), passing_result("b", 0.1), failing_result("c")});
  const Comparison after =
      compared(before, run_report({passing_result("a", 0.1), without_verdict("b")}));
  ASSERT_EQ(after.fixed.size(), 1u);
  EXPECT_EQ(after.fixed[0].where, "ring on math, sim, f64: a");
  ASSERT_EQ(after.lost.size(), 2u);
  EXPECT_EQ(after.lost[1].after, "absent");
  EXPECT_EQ(after.exit_code(), 3);
}

TEST(CompareReports, SayWhichFiguresDrift) {
  CheckReport after =
      run_report({passing_result("a", 0.5), passing_result("b", 0.011), passing_result("c", 0.15)});
  after.streams[0].received_bytes = 1500;
  after.streams[0].peak_bytes = 401;
  const Comparison drifted = compared(
      run_report({passing_result("a", 0.2), passing_result("b", 0.001), passing_result("c", 0.1)}),
      after);
  ASSERT_EQ(drifted.drifts.size(), 2u);
  EXPECT_EQ(drifted.drifts[0].what, "error / bound");
  EXPECT_DOUBLE_EQ(drifted.drifts[0].after, 0.5);
  EXPECT_EQ(drifted.drifts[1].what, "received bytes");
  EXPECT_EQ(drifted.exit_code(), 0);
}

TEST(CompareReports, DoNotCompareFiguresOfOtherCases) {
  CheckReport after = run_report({passing_result("a", 0.9)});
  after.seed = 5;
  const Comparison other = compared(run_report({passing_result("a", 0.1)}), after);
  EXPECT_TRUE(other.drifts.empty());
  EXPECT_NE(comparison_text(other).find("seed 4 and seed 5"), std::string::npos);
}

HuntReport hunt_of(bool caught) {
  HuntReport report;
  report.version = "0.1.0";
  Hunt hunt;
  hunt.name = "A10";
  hunt.caught = caught;
  report.hunts.push_back(hunt);
  return report;
}

TEST(CompareReports, FindAMutantThatSurvives) {
  const Comparison worse = compare_reports(report_json(hunt_of(true)), report_json(hunt_of(false)));
  EXPECT_EQ(worse.exit_code(), 1);
  EXPECT_EQ(worse.broken.at(0).where, "mutant A10");
}

TEST(CompareReports, TakeAnEquivalentMutantThatIsCaughtForAFailure) {
  HuntReport right = hunt_of(false), wrong = hunt_of(true);
  right.hunts.front().equivalent = wrong.hunts.front().equivalent = "it is right";
  EXPECT_EQ(compare_reports(report_json(right), report_json(right)).exit_code(), 0);
  EXPECT_EQ(compare_reports(report_json(right), report_json(wrong)).broken.size(), 1u);
}

TEST(CompareReports, OfNothingAreNotChecked) {
  const Comparison nothing = compared(run_report({}), run_report({}));
  EXPECT_EQ(nothing.exit_code(), 3);
  EXPECT_NE(comparison_text(nothing).find("neither report judged"), std::string::npos);
}

TEST(CompareReports, RefuseWhatIsNoReport) {
  const std::string report = report_json(run_report({}));
  for (const char* text : {"", "{", "[]", "{\"results\": 3}", "{\"results\": [{\"case\": 1}]}",
                           "{\"mutants\": [2]}", "{\"results\": [], \"seed\": \"x\"}"}) {
    EXPECT_THROW(compare_reports(report, text), std::invalid_argument) << text;
    EXPECT_THROW(compare_reports(text, report), std::invalid_argument) << text;
  }
  EXPECT_THROW(compare_reports(report, report_json(hunt_of(true))), std::invalid_argument);
}

TEST(CompareReports, SayTheSameToPrograms) {
  const auto json = nlohmann::json::parse(comparison_json(
      compared(run_report({passing_result("a", 0.5)}), run_report({failing_result("a")}))));
  EXPECT_EQ(json["broken"][0]["before"], "pass");
  EXPECT_EQ(json["broken"][0]["after"], "fail");
  EXPECT_EQ(json["after"]["seed"], 4);
}

}  // namespace
}  // namespace attncheck
