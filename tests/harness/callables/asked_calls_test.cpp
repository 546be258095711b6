#include "harness/callables/asked_calls.h"

#include <gtest/gtest.h>

#include "harness/callables/refused_call.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

Case case_of(int64_t q) {
  return parse_case("impl=ring mesh=2x1 d=1 q=" + std::to_string(q));
}

RankResult refusing(const char* fact) {
  RankResult rank;
  rank.error = RankError{Phase::forward, "not mine"};
  rank.facts[fact] = "not mine";
  return rank;
}

RankResult failing(Phase phase) {
  RankResult rank;
  rank.error = RankError{phase, "an error"};
  return rank;
}

Support answer(AskedCalls& calls, const Case& c, Observation observation, int* runs = nullptr) {
  return calls.answer(c, [&](const Request& request) {
    EXPECT_FALSE(request.backward);
    if (runs != nullptr) ++*runs;
    return observation;
  });
}

TEST(AskedCalls, AreRefusedWhereEveryRankRefuses) {
  AskedCalls calls;
  const RankResult no = refusing(kRefusedFact);
  const Support all = answer(calls, case_of(2), {{no, no}});
  EXPECT_FALSE(all.ok);
  EXPECT_EQ(all.reason, "not mine");
  EXPECT_TRUE(answer(calls, case_of(4), {{no, RankResult{}}}).ok);
  EXPECT_TRUE(answer(calls, case_of(6), {{RankResult{}, RankResult{}}}).ok);
}

TEST(AskedCalls, AreMadeOnceForEachCase) {
  AskedCalls calls;
  int runs = 0;
  for (int i = 0; i < 3; ++i) answer(calls, case_of(2), {{refusing(kRefusedFact)}}, &runs);
  EXPECT_EQ(runs, 1);
}

TEST(AskedCalls, AreNoLongerMadeOnceTheyTakeRanksDown) {
  AskedCalls calls;
  int runs = 0;
  for (int q = 2; q < 8; ++q) {
    EXPECT_TRUE(answer(calls, case_of(q), {{failing(Phase::process)}}, &runs).ok);
  }
  EXPECT_EQ(runs, 1);
}

TEST(AskedCalls, AreNoLongerMadeAfterAFewErrors) {
  AskedCalls calls;
  int runs = 0;
  for (int q = 2; q < 12; ++q) answer(calls, case_of(q), {{failing(Phase::forward)}}, &runs);
  EXPECT_EQ(runs, 3);
}

TEST(AskedCalls, OfAForcedRunAreSeenUnlessTheyWereNeverMade) {
  Request forced = base_request(case_of(2));
  forced.forced = true;
  EXPECT_FALSE(refused_run(forced, {{refusing(kRefusedFact)}}).has_value());
  EXPECT_TRUE(refused_run(forced, {{refusing(kNotAskedFact)}}).has_value());
}

}  // namespace
}  // namespace attncheck
