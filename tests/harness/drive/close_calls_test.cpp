#include "harness/drive/close_calls.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

CloseCall call_at(const char* property, double share, const char* words) {
  return {property, share, parse_case(std::string("q=4 d=2 ") + words)};
}

std::vector<double> shares_of(const CloseCalls& calls) {
  std::vector<double> shares;
  for (const CloseCall& call : calls.all()) shares.push_back(call.share);
  return shares;
}

TEST(CloseCalls, KeepTheClosestOfEachSubjectBackendAndMesh) {
  CloseCalls calls;
  calls.add(call_at("a", 0.2, "impl=ring mesh=2x1 seed=1"));
  calls.add(call_at("a", 0.5, "impl=ring mesh=2x1 seed=2"));
  calls.add(call_at("a", 0.4, "impl=ring mesh=2x1 seed=3"));
  calls.add(call_at("a", 0.3, "impl=ring mesh=4x1 seed=4"));
  EXPECT_EQ(shares_of(calls), (std::vector<double>{0.5, 0.3}));
}

TEST(CloseCalls, AreByPropertyAndDtype) {
  CloseCalls calls;
  calls.add(call_at("a", 0.2, "impl=ring mesh=2x1"));
  calls.add(call_at("a", 0.9, "impl=ring mesh=2x1 dtype=f32"));
  calls.add(call_at("b", 0.1, "impl=ring mesh=2x1"));
  EXPECT_EQ(shares_of(calls), (std::vector<double>{0.2, 0.9, 0.1}));
}

TEST(CloseCalls, LetTheFarthestGo) {
  CloseCalls calls;
  const char* meshes[] = {"mesh=1x1", "mesh=2x1", "mesh=3x1", "mesh=4x1", "mesh=1x2"};
  double share = 0.1;
  for (const char* mesh : meshes) {
    calls.add(call_at("a", share, (std::string("impl=ring ") + mesh).c_str()));
    share += 0.1;
  }
  ASSERT_EQ(calls.all().size(), CloseCalls::kKept);
  EXPECT_NEAR(calls.all().back().share, 0.2, 1e-12);
}

TEST(CloseCalls, TakeNothingThatUsedNoneOfItsBound) {
  CloseCalls calls;
  for (double share : {0.0, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    calls.add(call_at("a", share, "impl=ring mesh=2x1"));
  }
  EXPECT_TRUE(calls.all().empty());
}

TEST(CloseCalls, AreReadAsTheyAreWritten) {
  CloseCalls calls;
  calls.add(call_at("a", 0.2, "impl=ring mesh=2x1 seed=9"));
  calls.add(call_at("b", 1.0 / 3, "impl=local mesh=1x1 dtype=bf16"));
  const CloseCalls again = CloseCalls::parse(calls.json());
  EXPECT_EQ(again.json(), calls.json());
  ASSERT_EQ(again.all().size(), 2u);
  EXPECT_EQ(again.all()[1].share, 1.0 / 3);
}

TEST(CloseCalls, RefuseOtherText) {
  EXPECT_TRUE(CloseCalls::parse("").all().empty());
  for (const char* text : {"{", "[]", R"({"closest_calls": [{"property": "a"}]})",
                           R"({"closest_calls": [{"property": "a", "share": 1, "case": "x"}]})"}) {
    EXPECT_THROW(CloseCalls::parse(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace attncheck
