#include "harness/drive/smaller_cases.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "harness/drive/case_stream.h"
#include "harness/drive/shrink.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

using Holds = std::function<bool(const Case&)>;

Support divides(const Case& c) {
  const Problem& p = c.problem;
  const bool ok = p.q_len % c.mesh.world() == 0 && p.kv_len % c.mesh.world() == 0 &&
                  p.heads % c.mesh.ulysses == 0 && p.kv_heads % c.mesh.ulysses == 0;
  return ok ? Support::yes() : Support::no("sizes");
}

Shrunk shrunk_while(const Case& c, const Holds& fails, const ShrinkLimits& limits = {}) {
  return shrink(
      c, Verdict::fail("first"),
      [&](const Case& smaller) -> std::optional<Verdict> {
        if (!divides(smaller) || !fails(smaller)) return std::nullopt;
        return Verdict::fail("smaller");
      },
      limits);
}

// The text of what is left of some large case on which the predicate holds, without its seed.
std::string smallest_for(const std::string& text, const Holds& fails) {
  const Case start = parse_case(text);
  EXPECT_TRUE(fails(start)) << text;
  Case c = shrunk_while(start, fails).case_;
  EXPECT_LE(c.seed, 1u);
  c.seed = 0;
  return to_text(c);
}

const char* const kLarge =
    "impl=ring mesh=4x2 b=3 q=40 kv=24 h=8 hkv=4 d=7 dv=5 causal=1 align=br scale=0.5 data=large "
    "view=permuted dlse=1 fp32=0 rotate=p2p seed=4039251807";

TEST(SmallerCases, HaveASmallerMeasure) {
  StreamSpec spec;
  spec.impl = "subject";
  spec.meshes = {{1, 1}, {3, 1}, {2, 2}, {2, 3}};
  CaseStream stream(spec, divides, 3);
  for (int i = 0; i < 60; ++i) {
    const Case c = *stream.next();
    for (const Case& smaller : smaller_cases(c)) {
      EXPECT_LT(measure(smaller), measure(c)) << to_text(smaller) << "\n" << to_text(c);
      EXPECT_EQ(parse_case(to_text(smaller)), smaller);
    }
  }
}

TEST(SmallerCases, OfTheSmallestAreNone) {
  EXPECT_TRUE(smaller_cases(parse_case("impl=ring mesh=1x1 q=1 d=1")).empty());
}

TEST(SmallerCases, HaveShardsThatAddUp) {
  const auto all = smaller_cases(parse_case("impl=ring mesh=2x1 q=7 d=1 shards=4,3"));
  for (const char* smaller : {"q=3 d=1 shards=0,3", "q=6 d=1 shards=3,3", "q=4 d=1 shards=4,0"}) {
    const Case c = parse_case(std::string("impl=ring mesh=2x1 ") + smaller);
    EXPECT_NE(std::find(all.begin(), all.end(), c), all.end()) << smaller;
  }
}

TEST(Shrink, ReachesTheSmallestCaseOfAnyFault) {
  EXPECT_EQ(smallest_for(kLarge, [](const Case&) { return true; }), "impl=ring mesh=1x1 q=1 d=1");
}

TEST(Shrink, ReachesOneTokenARankInARingOfThree) {
  EXPECT_EQ(smallest_for(kLarge, [](const Case& c) { return c.mesh.ring >= 3; }),
            "impl=ring mesh=3x1 q=3 d=1");
}

TEST(Shrink, KeepsTheUlyssesAxisThatAFaultNeeds) {
  EXPECT_EQ(smallest_for(kLarge, [](const Case& c) { return c.mesh.ulysses >= 2; }),
            "impl=ring mesh=1x2 q=2 h=2 d=1");
}

TEST(Shrink, ShrinksEqualSizesTogether) {
  const Holds all_equal = [](const Case& c) {
    const Problem& p = c.problem;
    return p.heads > 1 && p.q_len / c.mesh.world() == p.heads && p.heads == p.head_dim;
  };
  EXPECT_EQ(smallest_for("impl=ring mesh=2x1 q=12 h=6 d=6 seed=99", all_equal),
            "impl=ring mesh=1x1 q=2 kv=1 h=2 d=2 dv=1");
}

TEST(Shrink, ShrinksHeadsAndTheWholeLengthTogether) {
  const Holds heads_are_tokens = [](const Case& c) {
    return c.mesh.ring > 1 && c.problem.q_len == c.problem.heads;
  };
  EXPECT_EQ(smallest_for("impl=ring mesh=2x1 q=8 h=8 d=3 seed=99", heads_are_tokens),
            "impl=ring mesh=2x1 q=2 h=2 d=1");
}

TEST(Shrink, KeepsGroupedHeadsThatAFaultNeeds) {
  EXPECT_EQ(
      smallest_for(kLarge, [](const Case& c) { return c.problem.heads > c.problem.kv_heads; }),
      "impl=ring mesh=1x1 q=1 h=2 hkv=1 d=1");
}

TEST(Shrink, KeepsRowsWithoutKeys) {
  const Holds empty_rows = [](const Case& c) {
    return c.problem.causal && c.problem.align == Align::bottom_right &&
           c.problem.q_len > c.problem.kv_len;
  };
  EXPECT_EQ(smallest_for(kLarge, empty_rows), "impl=ring mesh=1x1 q=2 kv=1 d=1 causal=1 align=br");
}

TEST(Shrink, StopsAtItsLimitAndSaysSo) {
  ShrinkLimits limits;
  limits.tries = 3;
  const Shrunk shrunk = shrunk_while(
      parse_case(kLarge), [](const Case& c) { return c.mesh.world() == 8; }, limits);
  EXPECT_FALSE(shrunk.finished);
  EXPECT_EQ(shrunk.tries, 3);
}

TEST(Shrink, KeepsTheVerdictOfTheCaseItEndedAt) {
  const Case c = parse_case("impl=ring mesh=2x1 q=2 d=1");
  EXPECT_EQ(shrunk_while(c, [](const Case&) { return true; }).verdict.evidence->message, "smaller");
  EXPECT_EQ(shrunk_while(c, [](const Case&) { return false; }).verdict.evidence->message, "first");
}

TEST(AtLeastAsSmall, ComparesRanksBeforeElements) {
  const Case listed = parse_case("impl=ring mesh=3x1 q=3 d=1");
  EXPECT_TRUE(at_least_as_small(listed, listed));
  EXPECT_TRUE(at_least_as_small(parse_case("impl=ring mesh=2x1 q=64 d=9"), listed));
  EXPECT_FALSE(at_least_as_small(parse_case("impl=ring mesh=3x1 q=3 d=2"), listed));
  EXPECT_FALSE(at_least_as_small(parse_case("impl=ring mesh=4x1 q=4 d=1"), listed));
}

}  // namespace
}  // namespace attncheck
