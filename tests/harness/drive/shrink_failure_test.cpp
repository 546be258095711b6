#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/drive/check_stream.h"
#include "problem/case_text.h"
#include "tests/harness/drive/planted_properties.h"

namespace attncheck {
namespace {

Verdict off_by(double error) {
  Evidence evidence;
  evidence.error = error;
  evidence.bound = 1;
  return Verdict::fail(std::move(evidence));
}

// Wrong by `error` where there are two batches, and by a little more than a bound anywhere else.
Shrunk shrunk_from(double error) {
  OracleLab lab;
  LaneLab lane = lane_on(lab);
  const auto says = [error](const Case& c) { return off_by(c.problem.batch > 1 ? error : 1.01); };
  const Property property = property_named("p", says);
  const Case failing = parse_case("impl=subject mesh=2x1 b=4 q=8 h=2 d=3 seed=5");
  return shrink_failure(property, failing, says(failing), lane, CheckOptions());
}

TEST(ShrinkFailure, DoesNotTakeAnErrorOfRoundingForAWrongValue) {
  for (const double error : {1e9, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    const Shrunk shrunk = shrunk_from(error);
    EXPECT_EQ(shrunk.case_.problem.batch, 2) << error;
    EXPECT_EQ(shrunk.case_.problem.head_dim, 1) << error;
    EXPECT_FALSE(shrunk.verdict.evidence->error < 1e9) << error;
  }
}

TEST(ShrinkFailure, TakesASmallerErrorWhereTheFirstOneWasSmallToo) {
  EXPECT_EQ(shrunk_from(3).case_.problem.batch, 1);
}

TEST(ShrinkFailure, AFailureWithoutANumberIsNoErrorOfRounding) {
  EXPECT_TRUE(may_be_the_same(Verdict::fail("no out"), off_by(1e6)));
  EXPECT_FALSE(may_be_the_same(Verdict::fail("no out"), off_by(1.01)));
  EXPECT_TRUE(may_be_the_same(off_by(1.5), Verdict::fail("no out")));
}

// Each costs ranks, where the fault is a crash.
TEST(ShrinkFailure, SeldomMeetsAFaultThatShowsInTheSmallestCases) {
  OracleLab lab;
  LaneLab lane = lane_on(lab);
  int met = 0;
  const Property property = property_named("p", [&met](const Case& c) {
    if (c.problem.kv_len == 1) return Verdict::pass();
    ++met;
    return Verdict::fail("a crash");
  });
  const Case failing = parse_case("impl=subject mesh=3x1 b=4 q=21 kv=15 h=6 d=5 causal=1 seed=5");
  const Shrunk shrunk =
      shrink_failure(property, failing, Verdict::fail("a crash"), lane, CheckOptions());
  EXPECT_EQ(to_text(shrunk.case_), "impl=subject mesh=1x1 q=1 kv=2 d=1 seed=1");
  EXPECT_LE(met, 5);
}

Shrunk shrunk_where_it_fails(int from_run) {
  OracleLab lab;
  LaneLab lane = lane_on(lab);
  const Case failing = parse_case("impl=subject mesh=2x1 b=4 q=8 h=2 d=3 seed=5");
  int runs = 0;
  const Property property = property_named("p", [&](const Case& c) {
    return c == failing && ++runs < from_run ? Verdict::fail("a race") : Verdict::pass();
  });
  return shrink_failure(property, failing, property.check(failing, lab), lane, CheckOptions());
}

TEST(ShrinkFailure, SaysOfACaseThatItDidNotFailWhenItRanAgain) {
  const Shrunk once = shrunk_where_it_fails(2);
  EXPECT_TRUE(once.verdict.failed());
  EXPECT_EQ(once.verdict.evidence->message, "a race; run again, the same case did not fail");
  EXPECT_EQ(shrunk_where_it_fails(3).verdict.evidence->message, "a race");
}

// For a run that is interrupted meanwhile.
TEST(ShrinkFailure, TellsOfEverySmallerCase) {
  OracleLab lab;
  const Property property = property_named("bad", [](const Case& c) {
    return c.mesh.ring == 2 ? Verdict::fail("a ring") : Verdict::pass();
  });
  CheckOptions options;
  options.cases = 20;
  options.seed = 1;
  std::vector<PropertyResult> told;
  options.on_found = [&told](const StreamSpec& stream, const PropertyResult& failure) {
    EXPECT_EQ(stream.impl, "subject");
    told.push_back(failure);
  };
  Lanes lanes({lane_on(lab)});
  const StreamReport report = check_stream(small_spec(), {&property}, lanes, options);
  ASSERT_GE(told.size(), 3u);
  EXPECT_EQ(told.front().case_, told.front().drawn);
  for (const PropertyResult& failure : told) {
    EXPECT_EQ(failure.property, "bad");
    EXPECT_EQ(failure.evidence->message, "a ring");
    EXPECT_EQ(failure.shrunk_to_end, &failure == &told.back());
  }
  EXPECT_EQ(told.back().case_, report.results[0].case_);
}

}  // namespace
}  // namespace attncheck
