#include "properties/compare.h"

#include <limits>

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class Compare : public testing::Test {
 protected:
  Request request_ = base_request(parse_case("impl=x mesh=2x1 q=4 h=1 d=3"));
  at::Tensor expected_ = at::rand({1, 4, 1, 3}, at::kDouble);
  at::Tensor bound_ = at::full({1, 4, 1, 3}, 1e-3, at::kDouble);

  Observation shards(const at::Tensor& whole) const {
    Observation observation;
    for (int rank = 0; rank < 2; ++rank) {
      RankResult result;
      result.rank = rank;
      result.tensors["out"] = whole.narrow(1, 2 * rank, 2).clone();
      observation.ranks.push_back(result);
    }
    return observation;
  }
  Verdict verdict(const Observation& observation) const {
    return compare_shards(request_, observation, "out", expected_, bound_);
  }
};

TEST_F(Compare, WithinTheBoundPassesWithTheClosestCall) {
  at::Tensor got = expected_.clone();
  got[0][3][0][1] += 5e-4;
  const Verdict v = verdict(shards(got));
  ASSERT_EQ(v.kind, Verdict::Kind::pass);
  EXPECT_NEAR(v.share_of_bound(), 0.5, 1e-6);
}

TEST_F(Compare, BeyondTheBoundFailsAtTheWorstElement) {
  at::Tensor got = expected_.clone();
  got[0][0][0][0] += 2e-3;
  got[0][3][0][1] += 1.0;
  const Verdict v = verdict(shards(got));
  ASSERT_TRUE(v.failed());
  EXPECT_EQ(v.evidence->rank, 1);
  EXPECT_EQ(v.evidence->index, (std::vector<int64_t>{0, 1, 0, 1}));
  EXPECT_NEAR(v.evidence->error, 1.0, 1e-12);
}

TEST_F(Compare, NaNAndInfinityNeverPass) {
  for (double bad : {std::nan(""), kInf, -kInf}) {
    at::Tensor got = expected_.clone();
    got[0][1][0][2] = bad;
    EXPECT_TRUE(verdict(shards(got)).failed()) << bad;
  }
}

TEST_F(Compare, ExpectedInfinitiesMustBeMet) {
  expected_[0][1][0][2] = -kInf;
  EXPECT_EQ(verdict(shards(expected_)).kind, Verdict::Kind::pass);
  at::Tensor got = expected_.clone();
  got[0][1][0][2] = -1e300;
  EXPECT_TRUE(verdict(shards(got)).failed());
  got[0][1][0][2] = kInf;
  EXPECT_TRUE(verdict(shards(got)).failed());
}

TEST_F(Compare, AMissingShardAndAWrongShapeFail) {
  Observation missing = shards(expected_);
  missing.ranks[1].tensors.clear();
  EXPECT_TRUE(verdict(missing).failed());
  Observation reshaped = shards(expected_);
  reshaped.ranks[0].tensors["out"] = reshaped.ranks[0].tensors["out"].unsqueeze(-1);
  const Verdict v = verdict(reshaped);
  ASSERT_TRUE(v.failed());
  EXPECT_EQ(v.evidence->got, "(1, 2, 1, 3, 1)");
}

TEST_F(Compare, NothingToCompareIsNoPass) {
  expected_ = at::rand({0, 4, 1, 3}, at::kDouble);
  bound_ = expected_.clone();
  EXPECT_EQ(verdict(shards(expected_)).kind, Verdict::Kind::not_run);
}

TEST_F(Compare, AnAnswerOrABoundThatIsNoNumberIsNoPass) {
  bound_[0][2][0][0] = std::nan("");
  EXPECT_EQ(verdict(shards(expected_)).kind, Verdict::Kind::not_run);
  bound_[0][2][0][0] = kInf;
  EXPECT_EQ(verdict(shards(expected_)).kind, Verdict::Kind::not_run);
  bound_[0][2][0][0] = 1e-3;
  expected_[0][2][0][0] = std::nan("");
  EXPECT_EQ(verdict(shards(expected_)).kind, Verdict::Kind::not_run);
}

TEST_F(Compare, ABoundOfAnotherShapeIsNotReadPastItsEnd) {
  bound_ = bound_.narrow(-1, 0, bound_.size(-1) - 1);
  EXPECT_EQ(verdict(shards(expected_)).kind, Verdict::Kind::not_run);
}

TEST_F(Compare, AssembledShardsAreTheWhole) {
  EXPECT_TRUE(at::equal(assemble(request_, shards(expected_), "out"), expected_));
}

TEST_F(Compare, BitsTellMinusZeroFromZero) {
  at::Tensor zero = at::full({1, 4, 1, 3}, 0.0, at::kDouble);
  EXPECT_EQ(compare_bits(shards(zero), shards(zero), "out").kind, Verdict::Kind::pass);
  EXPECT_TRUE(compare_bits(shards(zero), shards(-zero), "out").failed());
}

}  // namespace
}  // namespace attncheck
