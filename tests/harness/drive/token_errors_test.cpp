#include "harness/drive/token_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

const TokenErrors& errors_of(const std::vector<TokenErrors>& all, const std::string& tensor) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const TokenErrors& errors) { return errors.tensor == tensor; });
}

std::vector<int> out_of_bounds(const TokenErrors& errors) {
  std::vector<int> places;
  for (size_t i = 0; i < errors.tokens.size(); ++i) {
    if (errors.tokens[i].share > 1) places.push_back(static_cast<int>(i));
  }
  return places;
}

TEST(TokenErrors, StandAtTheTokensPlaceInTheSequence) {
  OracleLab lab;
  lab.add(1, "dk", 0.25);
  const auto all = token_errors(parse_case("impl=subject mesh=3x1 q=6 kv=9 d=2 seed=5"), lab);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(out_of_bounds(errors_of(all, "dk")), std::vector<int>{3});
  EXPECT_NEAR(errors_of(all, "dk").tokens[3].error, 0.25, 1e-12);
  EXPECT_EQ(errors_of(all, "dk").tokens[3].owner, 1);
  EXPECT_EQ(out_of_bounds(errors_of(all, "out")), std::vector<int>{});
  EXPECT_EQ(errors_of(all, "out").tokens.size(), 6u);
}

TEST(TokenErrors, FollowTheLayout) {
  OracleLab lab;
  lab.add(1, "out", 1);
  const auto all = token_errors(parse_case("impl=subject mesh=2x1 q=8 d=2 layout=striped"), lab);
  EXPECT_EQ(out_of_bounds(errors_of(all, "out")), std::vector<int>{1});
  EXPECT_EQ(errors_of(all, "out").tokens[6].owner, 0);
  EXPECT_EQ(errors_of(all, "out").tokens[7].owner, 1);
}

TEST(TokenErrors, AreInfiniteWhereAValueIs) {
  OracleLab lab;
  lab.add(0, "out", std::numeric_limits<double>::quiet_NaN());
  lab.add(0, "lse", -std::numeric_limits<double>::infinity());
  const auto all = token_errors(parse_case("impl=subject mesh=2x1 q=4 d=2"), lab);
  EXPECT_TRUE(std::isinf(errors_of(all, "out").tokens[0].error));
  EXPECT_TRUE(std::isinf(errors_of(all, "lse").tokens[0].share));
  EXPECT_EQ(out_of_bounds(errors_of(all, "lse")), std::vector<int>{0});
}

TEST(TokenErrors, AreNoneOfEmptyRows) {
  OracleLab lab;
  const auto all =
      token_errors(parse_case("impl=subject mesh=2x1 q=4 kv=2 d=2 causal=1 align=br"), lab);
  EXPECT_EQ(out_of_bounds(errors_of(all, "lse")), std::vector<int>{});
}

TEST(TokenErrors, LeaveOutWhatARankLacks) {
  OracleLab lab;
  lab.fail(1, Phase::backward, "it ended");
  const auto all = token_errors(parse_case("impl=subject mesh=2x1 q=4 d=2"), lab);
  for (const TokenErrors& errors : all) EXPECT_NE(errors.tensor, "dk");
}

}  // namespace
}  // namespace attncheck
