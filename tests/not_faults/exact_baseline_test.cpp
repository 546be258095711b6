// N3, flash-attention #1231: where the baseline is exact, any multiple of its error is 0. A bound
// has a floor, so that rounding passes there too, and a planted error does not.

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "properties/compare.h"
#include "tests/not_faults/real_runs.h"

namespace attncheck {
namespace {

using testing::Compared;
using testing::compared;
using testing::judge_changed;
using testing::RealRuns;

constexpr double kPlanted = 3.0;  // times a bound

double largest(const at::Tensor& x) {
  return x.abs().max().item<double>();
}

// One key: P is 1, out is v, dS and with it dq and dk are 0, whatever the numbers are.
Case of_one_key(const std::string& words) {
  return parse_case("impl=ring kv=1 seed=3 " + words);
}

TEST(AnExactBaseline, OfOneKeyLeavesRoomForRounding) {
  RealRuns runs;
  const Case c = of_one_key("mesh=2x1 q=16 h=2 d=33 dtype=f32");
  const Compared out = compared(c, "out", runs.lab()), dq = compared(c, "dq", runs.lab());
  EXPECT_EQ(largest(out.error()), 0.0);
  EXPECT_GT(out.bound.min().item<double>(), 0.0);
  EXPECT_EQ(largest(dq.want), 0.0);
  EXPECT_GT(largest(dq.got), 0.0);  // dout.v and rowsum(dout o out) are added up in other orders
  for (const char* property : {"output_matches_reference", "gradients_match_reference"}) {
    EXPECT_EQ(runs.judge(property, to_text(c)).kind, Verdict::Kind::pass) << property;
  }
}

TEST(AnExactBaseline, OfAWinningKeyLeavesRoomForRounding) {
  RealRuns runs;
  const Case c = parse_case("impl=ring mesh=3x1 q=6 kv=9 h=2 d=4 data=selector seed=2");
  const Compared out = compared(c, "out", runs.lab());
  EXPECT_EQ(largest(out.error()), 0.0);
  EXPECT_GT(out.bound.min().item<double>(), 0.0);
  EXPECT_EQ(runs.judge("output_matches_reference", to_text(c)).kind, Verdict::Kind::pass);
}

// Every element of a tensor is off by a multiple of its bound, or by nothing.
Verdict judged_with(const std::string& property, const std::string& tensor, double multiple,
                    RealRuns& runs) {
  const Case c = of_one_key("mesh=1x1 q=16 h=2 d=33 dtype=f32");
  const Compared exact = compared(c, tensor, runs.lab());
  return judge_changed(property, c, runs.lab(), [=](const Request&, Observation& run) {
    run.ranks[0].tensors.at(tensor) = exact.want + multiple * exact.bound;
  });
}

TEST(AnExactBaseline, FailsWithAnErrorPastTheFloor) {
  RealRuns runs;
  for (const auto& [property, tensor] :
       {std::pair{"output_matches_reference", "out"}, std::pair{"gradients_match_reference", "dq"},
        std::pair{"gradients_match_reference", "dk"}}) {
    SCOPED_TRACE(tensor);
    EXPECT_EQ(judged_with(property, tensor, 0.0, runs).kind, Verdict::Kind::pass);
    EXPECT_EQ(judged_with(property, tensor, 0.9, runs).kind, Verdict::Kind::pass);
    const Verdict verdict = judged_with(property, tensor, kPlanted, runs);
    ASSERT_TRUE(verdict.failed());
    EXPECT_NEAR(verdict.share_of_bound(), kPlanted, 1e-6);
  }
}

// The ratio that one property takes, of the error on many ranks to that on few: 0 / 0.
constexpr const char* kGrowth = "error_does_not_grow_with_ring_degree";

Case of_growth() {
  return of_one_key("mesh=4x1 q=64 h=4 d=8 dtype=bf16");
}

TEST(AnExactBaseline, OfFewRanksIsNoMeasureOfMany) {
  RealRuns runs;
  EXPECT_EQ(largest(compared(of_growth(), "out", runs.lab()).error()), 0.0);
  const Verdict verdict = runs.judge(kGrowth, to_text(of_growth()));
  EXPECT_EQ(verdict.kind, Verdict::Kind::pass);
  EXPECT_EQ(verdict.share_of_bound(), 0.0);
}

// On four ranks and more out errs by so many times what the property allows next to an exact
// baseline: 1.5 times a quarter of bfloat16's unit roundoff, of each element.
Verdict growth_with(double multiple, RealRuns& runs) {
  constexpr double kUnit = 0x1p-8;
  return judge_changed(kGrowth, of_growth(), runs.lab(),
                       [=](const Request& request, Observation& run) {
                         if (request.case_.mesh.ring < 4) return;
                         for (RankResult& rank : run.ranks)
                           rank.tensors.at("out") *= 1 + multiple * 1.5 * kUnit / 4;
                       });
}

TEST(AnExactBaseline, OfFewRanksStillShowsWhatGrows) {
  RealRuns runs;
  EXPECT_EQ(growth_with(0.9, runs).kind, Verdict::Kind::pass);
  const Verdict verdict = growth_with(kPlanted, runs);
  ASSERT_TRUE(verdict.failed());
  EXPECT_NEAR(verdict.share_of_bound(), kPlanted, 1e-6);
}

}  // namespace
}  // namespace attncheck
