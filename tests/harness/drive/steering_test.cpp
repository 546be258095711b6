#include "harness/drive/steering.h"

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

CloseCall call_of(uint64_t seed, double share) {
  CloseCall call{"a", share, parse_case("impl=ring mesh=2x1 q=2 d=1")};
  call.case_.seed = seed;
  return call;
}

void enter(Steering& steering, int64_t cases) {
  for (int64_t i = 0; i < cases; ++i) steering.enter({});
}

TEST(Steering, TakesItsShareOfTheCases) {
  const Steering steering(25, {call_of(1, 0.5)});
  int near = 0;
  for (int64_t i = 0; i < kGeneration; ++i) near += steering.near(i).empty() ? 0 : 1;
  EXPECT_EQ(near, kGeneration / 4);
  const Steering never(0, {call_of(1, 0.5)});
  for (int64_t i = 0; i < kGeneration; ++i) EXPECT_TRUE(never.near(i).empty());
}

TEST(Steering, KnowsTheGenerationsBeforeTheLastOne) {
  Steering steering(100, {});
  steering.enter({call_of(1, 0.3)});
  enter(steering, kGeneration - 1);
  steering.enter({call_of(2, 0.6)});
  enter(steering, kGeneration - 1);
  EXPECT_TRUE(steering.near(2 * kGeneration - 1).empty());
  EXPECT_EQ(steering.near(2 * kGeneration).at(0).seed, 1u);
  EXPECT_EQ(steering.near(3 * kGeneration - 1).at(0).seed, 1u);
  EXPECT_EQ(steering.near(3 * kGeneration).at(0).seed, 2u);
}

TEST(Steering, WaitsForTheGenerationThatItMustKnow) {
  Steering steering(25, {});
  EXPECT_TRUE(steering.ready(2 * kGeneration - 1));
  EXPECT_FALSE(steering.ready(2 * kGeneration));
  enter(steering, kGeneration - 1);
  EXPECT_FALSE(steering.ready(2 * kGeneration));
  enter(steering, 1);
  EXPECT_TRUE(steering.ready(2 * kGeneration));
}

TEST(Steering, IsByThePropertiesThatAreClosestToTheirBounds) {
  std::vector<CloseCall> calls;
  for (size_t i = 0; i < 2 * kSteeringProperties; ++i) {
    calls.push_back(call_of(i, 0.01 * static_cast<double>(i + 1)));
    calls.back().property = "p" + std::to_string(i);
  }
  const Steering steering(100, calls);
  ASSERT_EQ(steering.near(0).size(), kSteeringProperties);
  for (const Case& c : steering.near(0)) EXPECT_GE(c.seed, kSteeringProperties);
}

TEST(Steering, StartsFromCallsOfEarlierRuns) {
  Steering steering(100, {call_of(7, 0.4)});
  EXPECT_EQ(steering.near(0).at(0).seed, 7u);
  EXPECT_EQ(steering.near(kGeneration).at(0).seed, 7u);
}

}  // namespace
}  // namespace attncheck
