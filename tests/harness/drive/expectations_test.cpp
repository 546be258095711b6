#include "harness/drive/expectations.h"

#include <gtest/gtest.h>

#include "harness/drive/check_stream.h"
#include "problem/case_text.h"
#include "tests/harness/drive/planted_properties.h"

namespace attncheck {
namespace {

const std::vector<std::string> kProperties{"bad", "good", "output_matches_reference"};

std::vector<Expectation> parsed(const std::string& text) {
  return parse_expectations(text, kProperties);
}

std::string refusal_of(const std::string& text) {
  try {
    parsed(text);
  } catch (const ExpectationError& error) {
    return error.what();
  }
  return "";
}

TEST(Expectations, NameCasesByTheirWordsDefaultsIncluded) {
  const auto all = parsed("# a comment\n\n  bad | mesh=2x1 causal=0 | issue 12\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].line, 3);
  EXPECT_EQ(all[0].reason, "issue 12");
  EXPECT_TRUE(all[0].matches("bad", parse_case("impl=x mesh=2x1 q=2 d=1")));
  EXPECT_FALSE(all[0].matches("good", parse_case("impl=x mesh=2x1 q=2 d=1")));
  EXPECT_FALSE(all[0].matches("bad", parse_case("impl=x mesh=2x1 q=2 d=1 causal=1")));
  EXPECT_FALSE(all[0].matches("bad", parse_case("impl=x mesh=1x2 q=2 d=1")));
}

TEST(Expectations, ReadValuesAsACaseDoes) {
  const auto all = parsed("bad | scale=0.50 shards=4,3 | r");
  EXPECT_TRUE(all[0].matches("bad", parse_case("impl=x mesh=2x1 q=7 d=1 scale=0.5 shards=4,3")));
}

TEST(Expectations, AWholeCaseIsTriedFirst) {
  EXPECT_FALSE(parsed("bad | mesh=2x1 | r")[0].case_);
  EXPECT_TRUE(parsed("bad | impl=subject mesh=2x1 q=2 d=1 | r")[0].case_);
}

TEST(Expectations, AreRefusedByLineWithWhatWouldBeRight) {
  EXPECT_EQ(refusal_of("\nbad | mesh=2x1"),
            "line 2: too few '|'; expected: property | key=value words of the case | reason");
  EXPECT_NE(refusal_of("bad | | why").find("no words are given"), std::string::npos);
  EXPECT_NE(refusal_of("bad | mesh=2x1 |  ").find("no reason is given"), std::string::npos);
  EXPECT_NE(refusal_of("output_matches_referense | d=1 | r").find("'output_matches_reference'"),
            std::string::npos);
  EXPECT_NE(refusal_of("bad | mseh=2x1 | r").find("did you mean 'mesh'"), std::string::npos);
  EXPECT_NE(refusal_of("bad | mesh=2by1 | r").find("mesh=2by1"), std::string::npos);
  EXPECT_NE(refusal_of("bad | mesh=2x1 mesh=2x1 | r").find("given twice"), std::string::npos);
  EXPECT_NE(refusal_of("bad | causal | r").find("'causal' is not a key=value"), std::string::npos);
}

CheckReport check_knowing(const std::string& lines, int64_t cases = 30) {
  const Property bad = property_named("bad", [](const Case& c) {
    return c.mesh.ring == 2 ? Verdict::fail("a ring") : Verdict::pass();
  });
  const Property good = holding("good");
  OracleLab lab;
  Lanes lanes({lane_on(lab)});
  CheckOptions options;
  options.cases = cases;
  options.expectations = parsed(lines);
  for (const Expectation& e : options.expectations) {
    if (e.case_) options.remembered.push_back({e.property, *e.case_});
  }
  CheckReport report;
  report.expectations = options.expectations;
  report.streams.push_back(check_stream(small_spec(), {&bad, &good}, lanes, options));
  return report;
}

TEST(Expectations, AKnownFailureLeavesTheRunGreen) {
  const CheckReport report = check_knowing("bad | mesh=2x1 | issue 12");
  EXPECT_EQ(report.exit_code(), 0);
  EXPECT_EQ(report.state_of(0), "known");
  const PropertyResult& bad = report.streams[0].results[0];
  EXPECT_EQ(bad.word(), "known");
  EXPECT_EQ(bad.cases, 30);
  ASSERT_EQ(bad.known.size(), 1u);
  EXPECT_EQ(bad.known[0].cases, report.count_of(0).failed);
  EXPECT_EQ(bad.known[0].case_.mesh, (Mesh{2, 1}));
  EXPECT_EQ(bad.known[0].evidence->message, "a ring");
}

TEST(Expectations, AFailureThatIsNotListedIsShrunkToOneThatIsNotListed) {
  const CheckReport report = check_knowing("bad | mesh=2x1 q=2 | issue 12");
  EXPECT_EQ(report.exit_code(), 1);
  const PropertyResult& bad = report.streams[0].results[0];
  EXPECT_EQ(bad.word(), "fail");
  EXPECT_FALSE(report.expectations[0].matches("bad", *bad.case_));
}

TEST(Expectations, WhatNoLongerFailsIsFixed) {
  const CheckReport report = check_knowing("good | mesh=2x1 | gone\nbad | mesh=2x1 | here");
  EXPECT_EQ(report.state_of(0), "fixed");
  EXPECT_EQ(report.state_of(1), "known");
  EXPECT_EQ(report.exit_code(), 0);
}

TEST(Expectations, ALineThatMatchedNothingIsSaid) {
  const CheckReport report = check_knowing("good | mesh=3x1 | never drawn\nbad | mesh=2x1 | here");
  EXPECT_EQ(report.state_of(0), "unmatched");
}

TEST(Expectations, AWholeCaseIsJudgedThoughNoDrawMakesIt) {
  const CheckReport report = check_knowing(
      "good | impl=subject mesh=2x1 q=2 d=1 seed=123456789123 | one case\nbad | mesh=2x1 | here");
  EXPECT_EQ(report.state_of(0), "fixed");
  EXPECT_EQ(report.count_of(0).judged, 1);
  EXPECT_EQ(report.streams[0].remembered, 1);
}

}  // namespace
}  // namespace attncheck
