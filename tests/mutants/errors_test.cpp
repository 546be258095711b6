#include <string>

#include <gtest/gtest.h>
#include <torch/version.h>

#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

using testing::Outcome;
using testing::outcome;

void expect_on_every_rank(const Outcome& got, const std::string& part) {
  for (const std::string& error : got.errors)
    EXPECT_NE(error.find(part), std::string::npos) << error;
}

TEST(MutantErrors, OneGradientFewerIsTheEnginesErrorAfterAnExactForward) {
  for (const auto& [name, words] :
       {std::pair{"A1", "mesh=1x2 q=2 h=2 d=1"}, std::pair{"A2", "mesh=2x2 q=4 h=2 d=1"}}) {
    const Outcome got = outcome(name, words);
    EXPECT_EQ(got.wrong, "");
    expect_on_every_rank(got, "expected 4, got 3");
  }
}

TEST(MutantErrors, ATransposedGradientThrowsWhereTokensAndHeadsDiffer) {
  const Outcome got = outcome("A8", "mesh=1x2 q=8 h=2 d=1");
  EXPECT_EQ(got.wrong, "");
  expect_on_every_rank(got, "the gradient of the output is");
}

TEST(MutantErrors, AnAxisChosenByVersionThrowsWhereSizesDiffer) {
  const bool before = TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 9;
  const std::string kernel = before ? "backend=four_axis_kernel " : "";
  expect_on_every_rank(outcome("B2", kernel + "mesh=2x1 q=8 h=4 d=3"), "size");
}

TEST(MutantErrors, ASecondTrailingAxisThrowsWhereTheOutputGrows) {
  expect_on_every_rank(outcome("B1", "backend=four_axis_kernel mesh=2x1 q=4 h=2 d=3"), "size");
}

TEST(MutantErrors, KeysTransposedTwiceThrowWhereTokensAndHeadsDiffer) {
  const Outcome got = outcome("A12", "backend=cudnn_emulated:2.9 dtype=f16 mesh=1x1 q=16 h=8 d=64");
  EXPECT_EQ(got.wrong, "");
  expect_on_every_rank(got, "k and v have other tokens than q");
}

TEST(MutantErrors, HalfTheQueriesDoNotFitAllOfThem) {
  const Outcome got = outcome("D5", "mesh=2x1 q=8 d=1 layout=zigzag");
  EXPECT_NE(got.errors[0].find("size"), std::string::npos) << got.errors[0];
}

TEST(MutantErrors, OneRankGivesUp) {
  const Outcome got = outcome("house_throws_on_one_rank", "mesh=3x1 q=3 d=1");
  EXPECT_EQ(got.errors[0], "");
  EXPECT_NE(got.errors[1].find("rank 1 gives up"), std::string::npos) << got.errors[1];
  EXPECT_EQ(got.errors[2], "");
}

TEST(MutantErrors, OneRankRefuses) {
  const Outcome got = outcome("house_refuses_on_rank_0_alone", "mesh=2x1 q=2 d=1 dropout=0.5");
  EXPECT_NE(got.errors[0].find("dropout"), std::string::npos) << got.errors[0];
  EXPECT_EQ(got.errors[1], "");
}

TEST(MutantErrors, UninitialisedGradientsFollowAnExactForward) {
  const std::string wrong = outcome("A4", "mesh=1x2 q=2 h=2 d=8").wrong;
  EXPECT_EQ(wrong.find("out"), std::string::npos);
  EXPECT_EQ(wrong.find("lse"), std::string::npos);
}

}  // namespace
}  // namespace attncheck
