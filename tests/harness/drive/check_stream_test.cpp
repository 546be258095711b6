#include "harness/drive/check_stream.h"

#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "tests/harness/drive/planted_properties.h"

namespace attncheck {
namespace {

StreamReport check(const std::vector<Property>& properties, OracleLab& lab, int64_t cases = 20) {
  PropertyList list;
  for (const Property& property : properties) list.push_back(&property);
  CheckOptions options;
  options.cases = cases;
  options.seed = 1;
  Lanes lanes({lane_on(lab)});
  return check_stream(small_spec(), list, lanes, options);
}

TEST(CheckStream, JudgesEveryCaseByEveryProperty) {
  OracleLab lab;
  const StreamReport report = check({holding("a"), holding("b")}, lab);
  EXPECT_EQ(report.cases, 20);
  ASSERT_EQ(report.results.size(), 2u);
  for (const PropertyResult& result : report.results) {
    EXPECT_EQ(result.verdict, Verdict::Kind::pass);
    EXPECT_EQ(result.cases, 20);
  }
  EXPECT_TRUE(report.unchecked().empty()) << report.unchecked().front();
}

TEST(CheckStream, ShrinksAFailureOnceAndLetsTheOthersGoOn) {
  OracleLab lab;
  const StreamReport report =
      check({property_named("bad",
                            [](const Case& c) {
                              return c.mesh.ring == 2 ? Verdict::fail("a ring") : Verdict::pass();
                            }),
             holding("good")},
            lab);
  const PropertyResult& bad = report.results[0];
  EXPECT_EQ(bad.verdict, Verdict::Kind::fail);
  EXPECT_LE(bad.cases, 2);
  EXPECT_EQ(bad.case_->mesh, (Mesh{2, 1}));
  EXPECT_EQ(bad.evidence->message, "a ring");
  EXPECT_EQ(report.results[1].cases, 20);
  EXPECT_TRUE(report.failed());
}

TEST(CheckStream, KeepsTheLargestShareOfABoundByRingDegree) {
  OracleLab lab;
  std::map<int, double> largest;
  const StreamReport report =
      check({property_named("p",
                            [&largest](const Case& c) {
                              Evidence evidence;
                              evidence.bound = 4;
                              evidence.error = c.mesh.ring + static_cast<double>(c.seed % 7) / 7;
                              double& most = largest[c.mesh.ring];
                              most = std::max(most, evidence.error / evidence.bound);
                              return evidence.error > 4 ? Verdict::fail(evidence)
                                                        : Verdict::pass(evidence);
                            }),
             holding("without a bound")},
            lab);
  EXPECT_FALSE(report.failed());
  EXPECT_GE(report.results[0].shares.size(), 2u);
  EXPECT_EQ(report.results[0].shares, largest);
  EXPECT_TRUE(report.results[1].shares.empty());
}

TEST(CheckStream, IsTheSameForTheSameSeed) {
  OracleLab lab;
  std::vector<std::string> first, second;
  for (std::vector<std::string>* seen : {&first, &second}) {
    check({property_named("p",
                          [seen](const Case& c) {
                            seen->push_back(to_text(c));
                            return Verdict::pass();
                          })},
          lab);
  }
  EXPECT_EQ(first, second);
}

TEST(CheckStream, GivesRefusedCasesToPropertiesAboutRefusalsAlone) {
  OracleLab lab;
  lab.supports_case = [](const Case& c) {
    return c.dropout > 0 ? Support::no("dropout") : Support::yes();
  };
  Property refusals = property_named("refusals", [](const Case& c) {
    return c.dropout > 0 ? Verdict::pass() : Verdict::fail("not refused");
  });
  refusals.about_refusals = true;
  Property others = property_named("others", [](const Case& c) {
    return c.dropout > 0 ? Verdict::fail("refused") : Verdict::pass();
  });
  const StreamReport report = check({refusals, others}, lab);
  EXPECT_EQ(report.refused_cases, 3);
  EXPECT_EQ(report.results[0].cases, 3);
  EXPECT_FALSE(report.failed());
}

TEST(CheckStream, SaysWhichCellsHaveNoCase) {
  OracleLab lab;
  const StreamReport report = check({holding("a")}, lab, 1);
  ASSERT_FALSE(report.unchecked().empty());
  EXPECT_NE(report.unchecked().front().find("no case in the cell"), std::string::npos);
  CheckReport all;
  all.streams.push_back(report);
  EXPECT_EQ(all.exit_code(), 3);
}

TEST(CheckStream, ReportsADeathThatDidNotRepeat) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) { observation.unrepeatable = true; });
  Property property = holding("p");
  property.check = [](const Case& c, Lab& l) {
    return l.observe(base_request(c)).unrepeatable ? Verdict::not_run("rank 1 died once")
                                                   : Verdict::pass();
  };
  CheckReport report;
  report.streams.push_back(check({property}, lab));
  EXPECT_EQ(report.streams[0].results[0].verdict, Verdict::Kind::not_run);
  EXPECT_EQ(report.exit_code(), 3);
}

TEST(CheckStream, AsksNoMoreOfACaseThatLostARankAndDrawsNoMoreAfterThree) {
  OracleLab lab;
  lab.fail(0, Phase::process, "was ended by signal 6");
  Property greedy = holding("greedy");
  greedy.check = [](const Case& c, Lab& l) {
    Request again = base_request(c);
    l.observe(again);
    again.repeat = 1;
    return Verdict::not_run(error_text(*first_failed_rank(l.observe(again))));
  };
  const StreamReport report = check({greedy}, lab);
  EXPECT_EQ(report.cases, kMostLostCases);
  EXPECT_EQ(report.lost_cases, kMostLostCases);
  EXPECT_EQ(lab.runs(), static_cast<size_t>(kMostLostCases));
  EXPECT_EQ(report.results[0].reason, "rank 0 was ended by signal 6");
}

// Whatever the property made of it.
TEST(CheckStream, ARunThatCannotBeRepeatedIsNoPass) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    observation.unrepeatable = true;
    observation.incident = "rank 1 died once";
  });
  Property easy = holding("easy");
  easy.check = [](const Case& c, Lab& l) {
    l.observe(base_request(c));
    return Verdict::pass();
  };
  CheckReport report;
  report.streams.push_back(check({easy}, lab));
  EXPECT_EQ(report.streams[0].results[0].verdict, Verdict::Kind::not_run);
  EXPECT_NE(report.streams[0].results[0].reason.find("rank 1 died once"), std::string::npos);
  EXPECT_EQ(report.exit_code(), 3);
}

TEST(CheckStream, WhatCouldNotBeJudgedIsNoPass) {
  OracleLab lab;
  int64_t judged = 0;
  Property often = property_named("often", [&judged](const Case&) {
    return ++judged == 2 ? Verdict::not_run("the watched run ended early") : Verdict::pass();
  });
  CheckReport report;
  report.streams.push_back(check({often}, lab));
  EXPECT_EQ(report.streams[0].results[0].verdict, Verdict::Kind::pass);
  EXPECT_EQ(report.exit_code(), 3);
  const std::vector<std::string> lines = report.streams[0].unchecked();
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines.back().find("often could not be judged on 1 of its cases: the watched run"),
            std::string::npos)
      << lines.back();
}

TEST(CheckStream, AFailureBeatsWhatCouldNotBeChecked) {
  OracleLab lab;
  CheckReport report;
  report.streams.push_back(check({holding("a")}, lab, 1));
  EXPECT_EQ(report.exit_code(), 3);
  report.streams.push_back(
      check({property_named("bad", [](const Case&) { return Verdict::fail("no"); })}, lab));
  EXPECT_EQ(report.exit_code(), 1);
}

TEST(CheckStream, StopsDrawingWhenTheTimeIsUp) {
  OracleLab lab;
  const Property property = holding("a");
  CheckOptions options;
  options.deadline = Clock::now();
  Lanes lanes({lane_on(lab)});
  const StreamReport report = check_stream(small_spec(), {&property}, lanes, options);
  EXPECT_EQ(report.cases, 0);
  EXPECT_TRUE(report.out_of_time);
  EXPECT_FALSE(report.unchecked().empty());
}

// As errors are: the shape of a case says how large they may be, its data how large they are.
Verdict by_features_and_data(const Case& c) {
  const Problem& p = c.problem;
  const int features = (p.causal ? 1 : 0) + (p.view == View::permuted ? 1 : 0) +
                       (p.data == Data::offset ? 1 : 0) + (c.convert_to_fp32 ? 0 : 1) +
                       (c.rotate == Rotate::p2p ? 1 : 0) + (p.scale ? 1 : 0) +
                       (c.mesh.order == MeshOrder::ur ? 1 : 0) + (c.lse_cotangent ? 1 : 0);
  const double luck = 0.5 + static_cast<double>(c.seed % 4096) / 8192;
  return near_bound((features + 0.1) / 10 * luck);
}

StreamReport steered(int64_t percent, uint64_t seed, std::vector<CloseCall> earlier = {},
                     int64_t cases = 500) {
  OracleLab lab;
  const Property hill = property_named("hill", by_features_and_data);
  CheckOptions options;
  options.cases = cases;
  options.seed = seed;
  options.steer = percent;
  options.closest = std::move(earlier);
  Lanes lanes({lane_on(lab)});
  return check_stream(small_spec(), {&hill}, lanes, options);
}

TEST(CheckStream, ComesCloserWhenItIsSteered) {
  int closer = 0, farther = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const StreamReport blind = steered(0, seed), near = steered(25, seed);
    closer += near.results[0].closest_call > blind.results[0].closest_call ? 1 : 0;
    farther += near.results[0].closest_call < blind.results[0].closest_call ? 1 : 0;
    EXPECT_TRUE(near.unchecked().empty()) << near.unchecked().front();
    EXPECT_EQ(by_features_and_data(*near.results[0].closest_case).share_of_bound(),
              near.results[0].closest_call);
  }
  EXPECT_GE(closer, 6);
  EXPECT_EQ(farther, 0);
}

TEST(CheckStream, IsSteeredByTheCallsOfEarlierRuns) {
  const StreamReport before = steered(25, 1);
  const PropertyResult& hill = before.results[0];
  const CloseCall call{"hill", hill.closest_call, *hill.closest_case};
  const double alone = steered(25, 2, {}, 40).results[0].closest_call;
  EXPECT_GT(steered(25, 2, {call}, 40).results[0].closest_call, alone);
  CloseCall of_another = call;
  of_another.property = "valley";
  EXPECT_EQ(steered(25, 2, {of_another}, 40).results[0].closest_call, alone);
}

TEST(CheckStream, HoldsARightSubjectToBeRight) {
  OracleLab lab;
  PropertyList properties;
  for (const Property& property : all_properties()) {
    if (!property.about_refusals) properties.push_back(&property);
  }
  CheckOptions options;
  options.cases = 30;
  options.seed = 5;
  Lanes lanes({lane_on(lab)});
  const StreamReport report = check_stream(small_spec(), properties, lanes, options);
  for (const PropertyResult& result : report.results) {
    EXPECT_NE(result.verdict, Verdict::Kind::fail)
        << result.property << ": " << to_text(*result.case_) << ": " << result.evidence->message;
  }
}

}  // namespace
}  // namespace attncheck
