#include "reference/bounds.h"

#include <algorithm>
#include <cmath>

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include "reference/evaluation.h"
#include "reference/roundoff.h"
#include "tests/reference/naive_attention.h"
#include "tests/reference/random_problem.h"

namespace attncheck::reference {
namespace {

constexpr BoundContext kDouble{at::kDouble, at::kDouble, 1};
constexpr Shape kShape{2, 5, 7, 4, 2, 3, 4};

bool finite_and_positive(const at::Tensor& x) {
  return x.isfinite().all().item<bool>() && x.gt(0).all().item<bool>();
}

bool within(const at::Tensor& got, const at::Tensor& reference, const at::Tensor& bound) {
  return got.to(at::kDouble).sub(reference).abs().le(bound).all().item<bool>();
}

TEST(Roundoff, EqualsTheMachineEpsilons) {
  EXPECT_EQ(unit_roundoff(at::kDouble), std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(unit_roundoff(at::kFloat), std::numeric_limits<float>::epsilon() / 2);
  EXPECT_EQ(unit_roundoff(at::kHalf), std::numeric_limits<c10::Half>::epsilon() / 2);
  EXPECT_EQ(unit_roundoff(at::kBFloat16), std::numeric_limits<c10::BFloat16>::epsilon() / 2);
  EXPECT_EQ(smallest_normal(at::kHalf), std::numeric_limits<c10::Half>::min());
  EXPECT_EQ(smallest_subnormal(at::kFloat), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(smallest_subnormal(at::kDouble), std::numeric_limits<double>::denorm_min());
  EXPECT_THROW(unit_roundoff(at::kLong), c10::Error);
}

TEST(Bounds, HaveTheShapesOfTheValues) {
  const auto [shape, in, dout, dlse] =
      ProblemSource(1).problem(kShape, Data::kNormal, Masking::kBottomRight, at::kDouble);
  const Evaluation e = evaluate(in, dout, dlse, kDouble);
  EXPECT_EQ(e.bounds.out.sizes(), e.forward.out.sizes());
  EXPECT_EQ(e.bounds.lse.sizes(), e.forward.lse.sizes());
  EXPECT_EQ(e.bounds.dq.sizes(), e.gradients.dq.sizes());
  EXPECT_EQ(e.bounds.dk.sizes(), e.gradients.dk.sizes());
  EXPECT_EQ(e.bounds.dv.sizes(), e.gradients.dv.sizes());
  EXPECT_FALSE(bounds(in, {}, {}, kDouble).dq.defined());
}

TEST(Bounds, AreFiniteAndPositiveAlsoOnRowsWithoutKeys) {
  for (const Masking masking : {Masking::kBottomRight, Masking::kBool, Masking::kAdditive}) {
    const auto [shape, in, dout, dlse] =
        ProblemSource(2).problem({1, 6, 2, 2, 1, 3, 3}, Data::kLarge, masking, at::kDouble);
    const Bounds b = bounds(in, dout, dlse, kDouble);
    for (const at::Tensor& x : {b.out, b.lse, b.dq, b.dk, b.dv}) {
      EXPECT_TRUE(finite_and_positive(x));
    }
  }
}

TEST(Bounds, ArePositiveWhereTheBaselineIsExactlyZero) {
  auto [shape, in, dout, dlse] =
      ProblemSource(3).problem(kShape, Data::kNormal, Masking::kNone, at::kFloat);
  in.v.zero_();
  dout.zero_();
  dlse.zero_();
  const Bounds b = bounds(in, dout, dlse, {at::kFloat, at::kFloat, 1});
  for (const at::Tensor& x : {b.out, b.dq, b.dk, b.dv}) EXPECT_TRUE(finite_and_positive(x));
}

// exp(-95) is 5e-42, below the normal range of float32: a kernel may as well return 0.
TEST(Bounds, AllowWhatFloat32FlushesToZero) {
  auto [shape, in, dout, dlse] =
      ProblemSource(4).problem({1, 1, 2, 1, 1, 1, 1}, Data::kNormal, Masking::kNone, at::kFloat);
  in.scale = 1;
  in.q.fill_(1);
  in.k[0][0].fill_(95);
  in.k[0][1].fill_(0);
  const Evaluation e = evaluate(in, dout, dlse, BoundContext{at::kFloat, at::kFloat, 1});
  at::Tensor flushed = e.gradients.dv.clone();
  ASSERT_NE(flushed[0][1].item<double>(), 0);
  flushed[0][1].fill_(0);
  EXPECT_TRUE(within(flushed, e.gradients.dv, e.bounds.dv));
}

TEST(Bounds, GrowWithTheNumberOfMerges) {
  const auto [shape, in, dout, dlse] =
      ProblemSource(5).problem(kShape, Data::kNormal, Masking::kNone, at::kDouble);
  const Bounds one = bounds(in, dout, dlse, kDouble);
  const Bounds eight = bounds(in, dout, dlse, {at::kDouble, at::kDouble, 8});
  EXPECT_TRUE(eight.out.gt(one.out).all().item<bool>());
  EXPECT_TRUE(eight.dk.gt(one.dk).all().item<bool>());
}

// Released rings merge that way; what is left of a - (a - b) has roundings of the size of a and b,
// here where the last block has nearly all the weight and the smallest values.
TEST(Bounds, AllowAMergeThatSubtractsBeforeItScales) {
  constexpr int64_t kBlocks = 4, kKeys = 12;
  double worst = 0;
  bool needed = false;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomProblem p = ProblemSource(seed).problem({1, 8, kKeys, 2, 2, 4, 3}, Data::kPositive,
                                                        Masking::kNone, at::kDouble);
    const int64_t last = kKeys - kKeys / kBlocks;
    p.inputs.k.narrow(1, last, kKeys / kBlocks).add_(20);
    p.inputs.v.narrow(1, last, kKeys / kBlocks).mul_(1e-3);
    const NaiveResult got = blockwise_attention(p, kBlocks, MergeForm::kSigmoid);
    const BoundContext context{at::kDouble, at::kDouble, kBlocks};
    const Evaluation e = evaluate(p.inputs, p.dout, p.dlse, context);
    const at::Tensor error = got.out.sub(e.forward.out).abs();
    worst = std::max(worst, error.div(e.bounds.out).max().item<double>());
    needed |= error.gt(bounds(p.inputs, {}, {}, kDouble).out).any().item<bool>();
    EXPECT_TRUE(within(got.lse, e.forward.lse, e.bounds.lse));
  }
  EXPECT_LE(worst, 0.5);
  EXPECT_GE(worst, 0.02);
  EXPECT_TRUE(needed) << "bounds of one block would do";
}

TEST(Bounds, DoNotDependOnTheRowBlock) {
  auto [shape, in, dout, dlse] = ProblemSource(6).problem({2, 13, 11, 4, 2, 3, 5}, Data::kNormal,
                                                          Masking::kTopLeft, at::kFloat);
  const BoundContext context{at::kFloat, at::kFloat, 2};
  const Bounds whole = bounds(in, dout, dlse, context);
  in.row_block = 4;
  const Bounds blocked = bounds(in, dout, dlse, context);
  EXPECT_TRUE(blocked.out.allclose(whole.out, 1e-12, 0));
  EXPECT_TRUE(blocked.dk.allclose(whole.dk, 1e-12, 0));
  EXPECT_TRUE(blocked.dv.allclose(whole.dv, 1e-12, 0));
}

// The largest error of an honest run, made a hundred times larger at one element, is out of bounds.
TEST(Bounds, CatchHundredTimesAnHonestError) {
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
    const RandomProblem p =
        ProblemSource(7).problem({2, 16, 16, 4, 4, 8, 8}, Data::kNormal, Masking::kNone, dtype);
    const Evaluation e = evaluate(p.inputs, p.dout, p.dlse, BoundContext{dtype, dtype, 2});
    const NaiveResult got = blockwise_attention(p, 2);
    const auto expect_caught = [](const at::Tensor& got, const at::Tensor& truth,
                                  const at::Tensor& bound) {
      EXPECT_TRUE(within(got, truth, bound));
      const at::Tensor error = got.to(at::kDouble).sub(truth);
      const int64_t at = error.abs().div(bound).argmax().item<int64_t>();
      at::Tensor planted = truth.clone();
      planted.view(-1)[at].add_(error.reshape(-1)[at], 100);
      EXPECT_FALSE(within(planted, truth, bound));
    };
    expect_caught(got.out, e.forward.out, e.bounds.out);
    expect_caught(got.lse, e.forward.lse, e.bounds.lse);
    expect_caught(got.dq, e.gradients.dq, e.bounds.dq);
    expect_caught(got.dk, e.gradients.dk, e.bounds.dk);
    expect_caught(got.dv, e.gradients.dv, e.bounds.dv);
  }
}

}  // namespace
}  // namespace attncheck::reference
