#include "impl/merges/merge.h"

#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::normal;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Partial drawn(uint64_t seed, at::ScalarType type = at::kDouble) {
  return {normal({2, 3, 2, 4}, seed, type), normal({2, 3, 2}, seed + 100, type)};
}

Partial empty_like(const Partial& a) {
  return empty_partial(a.out, a.out.size(3), a.out.scalar_type(), a.lse.scalar_type());
}

void expect_same(const Partial& a, const Partial& b, double tolerance) {
  EXPECT_LE(difference(a.out, b.out), tolerance);
  EXPECT_LE(difference(a.lse, b.lse), tolerance);
}

TEST(Merge, IsTheWeightedMean) {
  const Partial a = drawn(1), b = drawn(2), both = merge(a, b);
  const at::Tensor wa = a.lse.exp(), wb = b.lse.exp();
  EXPECT_LE(difference(both.lse, (wa + wb).log()), 1e-14);
  const at::Tensor mean =
      (a.out * wa.unsqueeze(-1) + b.out * wb.unsqueeze(-1)) / (wa + wb).unsqueeze(-1);
  EXPECT_LE(difference(both.out, mean), 1e-14);
}

TEST(Merge, EmptyIsTheIdentityBitForBit) {
  const Partial a = drawn(1);
  expect_same(merge(a, empty_like(a)), a, 0.0);
  expect_same(merge(empty_like(a), a), a, 0.0);
}

TEST(Merge, TwoEmptyPartialsAreEmpty) {
  const Partial none = empty_like(drawn(1));
  expect_same(merge(none, none), none, 0.0);
}

TEST(Merge, EmptyRowsAmongOthersStayEmpty) {
  Partial a = drawn(1), b = drawn(2);
  for (Partial* part : {&a, &b}) {
    part->out.select(1, 1).zero_();
    part->lse.select(1, 1).fill_(-kInfinity);
  }
  const Partial both = merge(a, b);
  EXPECT_EQ(both.out.select(1, 1).abs().max().item<double>(), 0.0);
  EXPECT_EQ(both.lse.select(1, 1).max().item<double>(), -kInfinity);
}

TEST(Merge, GapsOfAThousandKeepTheLarger) {
  for (const auto type : {at::kDouble, at::kFloat}) {
    const Partial a = drawn(1, type);
    const Partial far{drawn(2, type).out, a.lse - 1000};
    expect_same(merge(a, far), a, 0.0);
    expect_same(merge(far, a), a, 0.0);
  }
}

TEST(Merge, OrderAndBracketsDoNotMatter) {
  const Partial a = drawn(1), b = drawn(2), c = drawn(3);
  expect_same(merge(a, b), merge(b, a), 1e-15);
  expect_same(merge(merge(a, b), c), merge(a, merge(b, c)), 1e-14);
}

TEST(Merge, StaysInTheDtypeOfTheOuts) {
  Partial a = drawn(1, at::kBFloat16), b = drawn(2, at::kBFloat16);
  a.lse = a.lse.to(at::kFloat);
  b.lse = b.lse.to(at::kFloat);
  const Partial both = merge(a, b);
  EXPECT_EQ(both.out.scalar_type(), at::kBFloat16);
  EXPECT_EQ(both.lse.scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace attncheck
