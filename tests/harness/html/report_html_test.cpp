#include "harness/html/report_html.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/drive/report_json.h"
#include "problem/case_text.h"
#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

const char* const kHostile = "<script>alert('1')</script><!-- \xff & so on";

PropertyResult failure_of(const char* property, const char* case_text) {
  PropertyResult result;
  result.property = property;
  result.verdict = Verdict::Kind::fail;
  result.case_ = parse_case(case_text);
  result.evidence = Evidence{};
  result.evidence->message = kHostile;
  return result;
}

CheckReport report_with(std::vector<PropertyResult> results) {
  CheckReport report;
  report.version = "0.1.0";
  StreamReport& stream = report.streams.emplace_back();
  stream.spec.impl = kHostile;
  stream.results = std::move(results);
  return report;
}

nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">", end = "</script>";
  const size_t first = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(first, page.find(end, first) - first));
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ReportHtml, HoldsTheReportWhateverStandsInIt) {
  const CheckReport report =
      report_with({failure_of("output_matches_reference", "impl=x mesh=2x1 q=2 d=1")});
  OracleLab lab;
  const std::string page = report_html(report, failure_pictures(report, lab));
  EXPECT_EQ(data_of(page)["report"], nlohmann::json::parse(report_json(report)));
  const std::string empty = report_html(report_with({}), {});
  EXPECT_EQ(count(page, "<script"), count(empty, "<script"));
  EXPECT_EQ(count(page, "</script"), count(empty, "</script"));
  EXPECT_EQ(count(page, "<!--"), count(empty, "<!--"));
}

TEST(ReportHtml, RunsAFailureAgainByTheProgramThatFoundIt) {
  PropertyResult failure = failure_of("output_matches_reference", "impl=x mesh=2x1 q=2 d=1");
  failure.replay_program = "python -m attncheck";
  failure.replay_flags = " --rank-timeout 4";
  const CheckReport report = report_with({failure});
  OracleLab lab;
  const auto data = data_of(report_html(report, failure_pictures(report, lab)));
  EXPECT_EQ(data["failures"][0]["again"],
            "python -m attncheck replay 'impl=x mesh=2x1 q=2 d=1' --rank-timeout 4");
}

TEST(ReportHtml, HasNoAddressToAskFor) {
  std::string page = report_html(report_with({}), {});
  const std::string names = "\"http://www.w3.org/2000/svg\"";  // a name, asked of nobody
  page.erase(page.find(names), names.size());
  EXPECT_EQ(count(page, "://"), 0);
}

TEST(FailurePictures, ShowACaseOnce) {
  const char* const kCase = "impl=x mesh=3x1 q=6 d=2 seed=5";
  PropertyResult held;
  held.verdict = Verdict::Kind::pass;
  const CheckReport report = report_with({failure_of("a", kCase), held, failure_of("b", kCase),
                                          failure_of("c", "impl=x mesh=2x1 q=4 d=2 seed=5")});
  OracleLab lab;
  const auto pictures = failure_pictures(report, lab);
  ASSERT_EQ(pictures.size(), 3u);
  EXPECT_EQ(pictures[1].result, 2u);
  EXPECT_EQ(pictures[1].same_as, 0u);
  EXPECT_FALSE(pictures[1].provenance);
  EXPECT_EQ(pictures[0].provenance->dk->size(), 3u);
  EXPECT_EQ(pictures[2].provenance->dk->size(), 2u);
}

TEST(FailurePictures, SayWhyThereIsNone) {
  PropertyResult without = failure_of("a", "impl=x mesh=2x1 q=2 d=1");
  without.case_.reset();
  const CheckReport report = report_with({failure_of("b", "impl=merge:logaddexp mesh=1x1 q=4 d=2"),
                                          without, failure_of("c", "impl=x mesh=3x1 q=3 d=1")});
  OracleLab lab;
  lab.supports_case = [](const Case&) { return Support::no("it is too small"); };
  const auto pictures = failure_pictures(report, lab);
  EXPECT_EQ(pictures[0].why_none, "merge:logaddexp is no attention over a mesh");
  EXPECT_EQ(pictures[1].why_none, "it has no case");
  EXPECT_EQ(pictures[2].why_none, "x does not support the case: it is too small");
}

}  // namespace
}  // namespace attncheck
