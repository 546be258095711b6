#include "reference/dense_attention.h"

#include <cmath>
#include <limits>
#include <string>

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "reference/closed_forms.h"
#include "reference/visibility.h"
#include "tests/reference/naive_attention.h"
#include "tests/reference/random_problem.h"

namespace attncheck::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTight = 1e-13;  // a few hundred roundings of numbers near 1

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  const at::Tensor same = a.eq(b);  // equal infinities included
  const at::Tensor difference = a.sub(b).abs().masked_fill(same, 0);
  return difference.numel() == 0 ? 0 : difference.max().item<double>();
}

void expect_same(const Forward& got, const Forward& expected, double tolerance) {
  EXPECT_LE(largest_difference(got.out, expected.out), tolerance);
  EXPECT_LE(largest_difference(got.lse, expected.lse), tolerance);
}

void expect_same(const Gradients& got, const Gradients& expected, double tolerance) {
  EXPECT_LE(largest_difference(got.dq, expected.dq), tolerance);
  EXPECT_LE(largest_difference(got.dk, expected.dk), tolerance);
  EXPECT_LE(largest_difference(got.dv, expected.dv), tolerance);
}

RandomProblem plain(uint64_t seed, const Shape& shape, Data data = Data::kNormal,
                    Masking masking = Masking::kNone) {
  return ProblemSource(seed).problem(shape, data, masking, at::kDouble);
}

constexpr Shape kGrouped{2, 5, 7, 6, 2, 3, 4};

TEST(DenseAttention, EqualsOneKeyForm) {
  const auto [shape, in, dout, dlse] = plain(1, {2, 5, 1, 6, 2, 3, 4});
  expect_same(forward(in), one_key(in), kTight);
  expect_same(vjp(in, dout, dlse), one_key_vjp(in, dout, dlse), kTight);
}

TEST(DenseAttention, EqualsTwoKeysForm) {
  const auto [shape, in, dout, dlse] = plain(2, {2, 5, 2, 6, 2, 3, 4});
  expect_same(forward(in), two_keys(in), kTight);
  expect_same(vjp(in, dout, dlse), two_keys_vjp(in, dout, dlse), kTight);
}

TEST(DenseAttention, EqualsTwoKeysFormAtScoresOfAThousand) {
  const auto [shape, in, dout, dlse] = plain(3, {2, 5, 2, 6, 2, 3, 4}, Data::kLarge);
  const double tolerance = 1e4 * kTight;  // an ulp of the scores is 1e-13
  expect_same(forward(in), two_keys(in), tolerance);
  expect_same(vjp(in, dout, dlse), two_keys_vjp(in, dout, dlse), tolerance);
}

TEST(DenseAttention, AveragesValuesWhenQueriesAreZero) {
  Inputs in = plain(4, kGrouped).inputs;
  in.q.zero_();
  expect_same(forward(in), equal_keys(in), kTight);
}

// k_j = (2j, -j^2) and q = (t, 1): the score t^2 - (j - t)^2 is largest at j = t.
TEST(DenseAttention, SelectsOneValueExactlyAcrossAHugeGap) {
  for (const double scale : {1e3, 1e6}) {
    Inputs in = plain(5, {1, 4, 4, 1, 1, 2, 3}).inputs;
    in.scale = scale;
    for (int64_t t = 0; t < 4; ++t) {
      in.q[0][t][0][0] = static_cast<double>(t);
      in.q[0][t][0][1] = 1;
      in.k[0][t][0][0] = static_cast<double>(2 * t);
      in.k[0][t][0][1] = static_cast<double>(-t * t);
    }
    expect_same(forward(in), winning_key(in, [](int64_t row) { return row; }), 0);
  }
}

TEST(DenseAttention, ProbabilitiesTimesValuesIsOut) {
  const auto [shape, in, dout, dlse] =
      plain(6, {1, 5, 7, 1, 1, 3, 4}, Data::kNormal, Masking::kBool);
  const at::Tensor out = probabilities(in)[0][0].matmul(in.v.select(0, 0).select(1, 0));
  EXPECT_LE(largest_difference(forward(in).out.select(0, 0).select(1, 0), out), kTight);
}

TEST(DenseAttention, ConvertsNarrowInputsExactly) {
  const RandomProblem narrow =
      ProblemSource(7).problem(kGrouped, Data::kNormal, Masking::kTopLeft, at::kBFloat16);
  Inputs wide = narrow.inputs;
  for (at::Tensor* x : {&wide.q, &wide.k, &wide.v}) *x = x->to(at::kDouble);
  expect_same(forward(narrow.inputs), forward(wide), 0);
  EXPECT_EQ(forward(narrow.inputs).out.scalar_type(), at::kDouble);
}

Gradients gradients_of(const NaiveResult& result) {
  return {result.dq, result.dk, result.dv};
}

class ByMasking : public testing::TestWithParam<Masking> {};
INSTANTIATE_TEST_SUITE_P(, ByMasking,
                         testing::Values(Masking::kNone, Masking::kTopLeft, Masking::kBottomRight,
                                         Masking::kBool, Masking::kAdditive),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(ByMasking, EqualsLibTorchAutograd) {
  ProblemSource source(11);
  for (int trial = 0; trial < 20; ++trial) {
    const RandomProblem p =
        source.problem(source.shape(12, 8), Data::kNormal, GetParam(), at::kDouble);
    const NaiveResult expected = blockwise_attention(p, 1);
    expect_same(forward(p.inputs), Forward{expected.out, expected.lse}, 100 * kTight);
    expect_same(vjp(p.inputs, p.dout, p.dlse), gradients_of(expected), 100 * kTight);
  }
}

TEST_P(ByMasking, EqualsLibTorchSdpaMath) {
  ProblemSource source(12);
  int compared = 0;
  while (compared < 20) {
    const RandomProblem p =
        source.problem(source.shape(12, 8), Data::kNormal, GetParam(), at::kDouble);
    if (visible_counts(p.inputs).min().item<int64_t>() == 0) continue;  // NaN in LibTorch
    const NaiveResult expected = sdpa_math(p);
    EXPECT_LE(largest_difference(forward(p.inputs).out, expected.out), 100 * kTight);
    expect_same(vjp(p.inputs, p.dout, {}), gradients_of(expected), 100 * kTight);
    ++compared;
  }
}

TEST_P(ByMasking, DoesNotDependOnTheRowBlock) {
  RandomProblem p = plain(13, {2, 13, 11, 4, 2, 3, 5}, Data::kNormal, GetParam());
  const Forward whole = forward(p.inputs);
  const Gradients gradients = vjp(p.inputs, p.dout, p.dlse);
  for (const int64_t row_block : {1, 4, 12, 13}) {
    p.inputs.row_block = row_block;
    expect_same(forward(p.inputs), whole, kTight);
    expect_same(vjp(p.inputs, p.dout, p.dlse), gradients, kTight);
  }
}

// <dout, out> + <dlse, lse> over the rows that see a key.
double loss(const RandomProblem& p, const Inputs& inputs) {
  const Forward f = forward(inputs);
  const at::Tensor lse = f.lse.masked_fill(f.lse.eq(-kInfinity), 0);
  return f.out.mul(p.dout).sum().item<double>() + lse.mul(p.dlse).sum().item<double>();
}

// Central differences: the error is of order step^2 plus 1e-16 / step.
void expect_finite_difference(const RandomProblem& p, at::Tensor Inputs::*member,
                              const at::Tensor& gradient) {
  constexpr double kStep = 1e-5;
  constexpr double kTolerance = 1e-8;
  for (int64_t i = 0; i < (p.inputs.*member).numel(); ++i) {
    double values[2];
    for (const int side : {0, 1}) {
      Inputs moved = p.inputs;
      moved.*member = (p.inputs.*member).clone();
      (moved.*member).view(-1)[i].add_(side == 0 ? -kStep : kStep);
      values[side] = loss(p, moved);
    }
    const double expected = (values[1] - values[0]) / (2 * kStep);
    EXPECT_NEAR(gradient.reshape(-1)[i].item<double>(), expected, kTolerance) << "element " << i;
  }
}

TEST_P(ByMasking, GradientsAreFiniteDifferences) {
  for (const Shape& shape : {Shape{1, 5, 3, 4, 2, 2, 3}, Shape{2, 3, 5, 1, 1, 3, 1}}) {
    const RandomProblem p = plain(14, shape, Data::kNormal, GetParam());
    const Gradients gradients = vjp(p.inputs, p.dout, p.dlse);
    expect_finite_difference(p, &Inputs::q, gradients.dq);
    expect_finite_difference(p, &Inputs::k, gradients.dk);
    expect_finite_difference(p, &Inputs::v, gradients.dv);
  }
}

TEST(DenseAttention, CotangentsAddUp) {
  const auto [shape, in, dout, dlse] = plain(15, kGrouped, Data::kNormal, Masking::kTopLeft);
  const Gradients both = vjp(in, dout, dlse);
  const Gradients of_out = vjp(in, dout, {}), of_lse = vjp(in, {}, dlse), none = vjp(in, {}, {});
  const Gradients sum{of_out.dq.add(of_lse.dq), of_out.dk.add(of_lse.dk), of_out.dv.add(of_lse.dv)};
  expect_same(sum, both, kTight);
  EXPECT_EQ(of_lse.dv.abs().max().item<double>(), 0);
  const Gradients zero{at::zeros_like(both.dq), at::zeros_like(both.dk), at::zeros_like(both.dv)};
  expect_same(none, zero, 0);
}

// Rows and keys given in another order, with their positions, are the same rows and keys.
TEST(DenseAttention, FollowsExplicitPositions) {
  RandomProblem p = plain(16, kGrouped, Data::kNormal, Masking::kBottomRight);
  const Forward straight = forward(p.inputs);
  const Gradients gradients = vjp(p.inputs, p.dout, p.dlse);
  const at::Tensor rows = at::zeros({5}, at::kLong), keys = at::zeros({7}, at::kLong);
  for (int64_t i = 0; i < 5; ++i) rows[i] = p.inputs.q_positions[i] = (3 * i + 1) % 5;
  for (int64_t j = 0; j < 7; ++j) keys[j] = p.inputs.kv_positions[j] = (4 * j + 2) % 7;
  p.inputs.q = p.inputs.q.index_select(1, rows);
  p.inputs.k = p.inputs.k.index_select(1, keys);
  p.inputs.v = p.inputs.v.index_select(1, keys);
  const at::Tensor dout = p.dout.index_select(1, rows), dlse = p.dlse.index_select(1, rows);
  const Forward moved{straight.out.index_select(1, rows), straight.lse.index_select(1, rows)};
  expect_same(forward(p.inputs), moved, kTight);
  const Gradients moved_gradients{gradients.dq.index_select(1, rows),
                                  gradients.dk.index_select(1, keys),
                                  gradients.dv.index_select(1, keys)};
  expect_same(vjp(p.inputs, dout, dlse), moved_gradients, kTight);
}

TEST(DenseAttention, RowsWithoutKeysAreZeroWhateverTheirCotangent) {
  RandomProblem p = plain(17, {1, 4, 2, 2, 1, 3, 3}, Data::kNormal, Masking::kBottomRight);
  const Forward f = forward(p.inputs);  // bottom-right with q_len 4, kv_len 2: rows 0, 1 are empty
  const at::Tensor empty_out = f.out.narrow(1, 0, 2), empty_lse = f.lse.narrow(1, 0, 2);
  EXPECT_EQ(empty_out.abs().max().item<double>(), 0);
  EXPECT_TRUE(empty_lse.eq(-kInfinity).all().item<bool>());
  const Gradients clean = vjp(p.inputs, p.dout, p.dlse);
  EXPECT_EQ(clean.dq.narrow(1, 0, 2).abs().max().item<double>(), 0);
  p.dout.select(1, 0).fill_(std::numeric_limits<double>::quiet_NaN());
  p.dlse.select(1, 1).fill_(kInfinity);
  expect_same(vjp(p.inputs, p.dout, p.dlse), clean, 0);
}

TEST(DenseAttention, TakesNoKeysAndNoRows) {
  const auto [no_keys, in, dout, dlse] = plain(18, {2, 3, 0, 2, 1, 3, 4});
  const Forward f = forward(in);
  EXPECT_EQ(f.out.abs().max().item<double>(), 0);
  EXPECT_TRUE(f.lse.eq(-kInfinity).all().item<bool>());
  EXPECT_EQ(vjp(in, dout, dlse).dq.abs().max().item<double>(), 0);
  const RandomProblem no_rows = plain(18, {2, 0, 3, 2, 1, 3, 4});
  EXPECT_EQ(forward(no_rows.inputs).out.numel(), 0);
  EXPECT_EQ(vjp(no_rows.inputs, no_rows.dout, no_rows.dlse).dk.abs().max().item<double>(), 0);
}

TEST(DenseAttention, LeavesItsInputsAndAutogradAlone) {
  const auto [shape, in, dout, dlse] = plain(19, kGrouped, Data::kNormal, Masking::kAdditive);
  const at::Tensor q = in.q.clone(), mask = in.mask.clone(), cotangent = dout.clone();
  in.q.requires_grad_();
  EXPECT_FALSE(forward(in).out.requires_grad());
  vjp(in, dout, dlse);
  EXPECT_TRUE(in.q.equal(q) && in.mask.equal(mask) && dout.equal(cotangent));
}

TEST(DenseAttention, RefusesShapesThatDoNotFit) {
  const auto [shape, in, dout, dlse] = plain(20, kGrouped, Data::kNormal, Masking::kTopLeft);
  Inputs wrong = in;
  wrong.v = in.v.narrow(1, 0, 6);
  EXPECT_THROW(forward(wrong), c10::Error);
  wrong = in;
  wrong.q_positions.pop_back();
  EXPECT_THROW(forward(wrong), c10::Error);
  wrong = in;
  wrong.mask = at::ones({5, 6}, at::kBool);
  EXPECT_THROW(forward(wrong), c10::Error);
  EXPECT_THROW(vjp(in, dlse, {}), c10::Error);
  EXPECT_THROW(vjp(in, dout, dout), c10::Error);
}

}  // namespace
}  // namespace attncheck::reference
