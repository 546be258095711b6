#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "harness/drive/report_junit.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

PropertyResult result_named(const char* property, Verdict::Kind verdict) {
  PropertyResult result;
  result.property = property;
  result.verdict = verdict;
  result.cases = 10;
  return result;
}

PropertyResult failing() {
  PropertyResult result = result_named("gradients_match_reference", Verdict::Kind::fail);
  result.case_ = parse_case("impl=ring mesh=3x1 q=3 d=1 seed=17");
  result.evidence = Evidence{};
  result.evidence->message = "rank 1 printed \x01<&>\" and died";
  return result;
}

PropertyResult known_one() {
  PropertyResult result = result_named("lse_matches_reference", Verdict::Kind::pass);
  result.known.push_back({0, 3, parse_case("impl=ring mesh=2x1 q=2 d=1"), {}});
  return result;
}

pugi::xml_document parsed(const CheckReport& report) {
  pugi::xml_document document;
  const pugi::xml_parse_result read = document.load_string(report_junit(report).c_str());
  EXPECT_TRUE(read) << read.description();
  return document;
}

CheckReport report_of(std::vector<PropertyResult> results) {
  CheckReport report;
  report.version = "0.1.0";
  report.expectations =
      parse_expectations("lse_matches_reference | mesh=2x1 | issue 12", {"lse_matches_reference"});
  StreamReport stream;
  stream.spec.impl = "ring";
  stream.cases = 10;
  stream.seconds = 1.5;
  stream.results = std::move(results);
  report.streams.push_back(std::move(stream));
  return report;
}

TEST(Junit, CountsEachOutcomeInItsSuite) {
  PropertyResult not_applied = result_named("remote_keys_are_reached", Verdict::Kind::unsupported);
  not_applied.reason = "needs a world";
  const auto document =
      parsed(report_of({result_named("output_matches_reference", Verdict::Kind::pass), failing(),
                        known_one(), not_applied}));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "ring on math, sim, f64");
  const pugi::xml_node seed = suite.child("properties").find_child_by_attribute("name", "seed");
  EXPECT_STREQ(seed.attribute("value").value(), "0");
  EXPECT_EQ(suite.attribute("tests").as_int(), 4);
  EXPECT_EQ(suite.attribute("failures").as_int(), 1);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 2);
  EXPECT_EQ(suite.attribute("errors").as_int(), 0);
  EXPECT_STREQ(suite.attribute("time").value(), "1.500");
}

TEST(Junit, AFailureHasItsWordsAndTheLineThatRunsItAgain) {
  const auto document = parsed(report_of({failing()}));
  const pugi::xml_node test = document.child("testsuites").child("testsuite").child("testcase");
  EXPECT_STREQ(test.attribute("name").value(), "gradients_match_reference");
  EXPECT_STREQ(test.child("failure").attribute("message").value(),
               "rank 1 printed ?<&>\" and died");
  EXPECT_NE(std::string(test.child("failure").text().get())
                .find("attncheck replay 'impl=ring mesh=3x1 q=3 d=1 seed=17'"),
            std::string::npos);
}

TEST(Junit, AKnownFailureIsSkippedWithItsReason) {
  const auto document = parsed(report_of({known_one()}));
  const pugi::xml_node test = document.child("testsuites").child("testsuite").child("testcase");
  EXPECT_FALSE(test.child("failure"));
  EXPECT_STREQ(test.child("skipped").attribute("message").value(),
               "known: issue 12: impl=ring mesh=2x1 q=2 d=1");
}

TEST(Junit, WhatCouldNotBeCheckedIsAnError) {
  CheckReport report = report_of({result_named("output_matches_reference", Verdict::Kind::pass)});
  report.streams[0].empty_cells = {"views"};
  const auto document = parsed(report);
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
  EXPECT_EQ(suite.attribute("tests").as_int(), 2);
  EXPECT_TRUE(suite.last_child().child("error"));
}

}  // namespace
}  // namespace attncheck
