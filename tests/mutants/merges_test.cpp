#include <cmath>
#include <limits>

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

constexpr double kEmpty = -std::numeric_limits<double>::infinity();

// One row.
Partial row(double out, double lse) {
  return {at::full({1, 1, 1, 1}, out, at::kDouble), at::full({1, 1, 1}, lse, at::kDouble)};
}

struct Merged {
  double out, lse;
};

Merged merged(const std::string& name, const Partial& a, const Partial& b) {
  const Partial both = std::get<Merge>(testing::mutant(name).subject).apply(a, b);
  return {both.out.item<double>(), both.lse.item<double>()};
}

void expect_right(const std::string& name, const Partial& a, const Partial& b, Merged want) {
  const Merged got = merged(name, a, b);
  EXPECT_NEAR(got.out, want.out, 1e-14) << name;
  EXPECT_NEAR(got.lse, want.lse, 1e-14) << name;
}

TEST(MergeMutants, TheSigmoidIsWrongForTwoEmptyPartialsAlone) {
  const std::string name = "house_merge_by_sigmoid";
  expect_right(name, row(1, 0), row(4, std::log(2.0)), {3, std::log(3.0)});
  expect_right(name, row(1, 0), row(0, kEmpty), {1, 0});
  expect_right(name, row(1, 1000), row(2, 0), {1, 1000});
  EXPECT_TRUE(std::isnan(merged(name, row(0, kEmpty), row(0, kEmpty)).lse));
}

TEST(MergeMutants, BareExponentialsAreWrongFarFromZeroAlone) {
  const std::string name = "house_merge_by_exponentials";
  expect_right(name, row(1, 0), row(4, std::log(2.0)), {3, std::log(3.0)});
  expect_right(name, row(1, 0), row(0, kEmpty), {1, 0});
  EXPECT_TRUE(std::isnan(merged(name, row(1, 1000), row(2, 0)).out));
  EXPECT_EQ(merged(name, row(1, -1000), row(0, kEmpty)).lse, kEmpty);
}

TEST(MergeMutants, TheMeanIsRightForEqualWeightsAlone) {
  const std::string name = "house_merge_takes_the_mean";
  expect_right(name, row(1, 0), row(3, 0), {2, std::log(2.0)});
  EXPECT_EQ(merged(name, row(1, 0), row(0, kEmpty)).out, 0.5);
}

}  // namespace
}  // namespace attncheck
