#include "properties/merge_inputs.h"

#include <cmath>
#include <limits>
#include <set>

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "properties/merge_trees.h"
#include "reference/dense_attention.h"

namespace attncheck {
namespace {

constexpr double kEmpty = -std::numeric_limits<double>::infinity();

Case some_case(const std::string& words) {
  return parse_case("impl=merge:any mesh=1x1 b=2 q=16 kv=3 h=4 d=3 seed=1" + words);
}

TEST(MergeInputs, EmptyRowsAndGapsOfAThousandAreAmongThem) {
  const Partial partial = merge_inputs(some_case("")).front();
  EXPECT_EQ(partial.out.sizes(), (at::IntArrayRef{2, 16, 4, 3}));
  EXPECT_EQ(partial.lse.sizes(), (at::IntArrayRef{2, 16, 4}));
  const int64_t empty = partial.lse.eq(kEmpty).sum().item<int64_t>();
  EXPECT_GT(empty, 16);
  EXPECT_LT(empty, 64);
  EXPECT_GT(partial.lse.gt(990).sum().item<int64_t>(), 0);
  EXPECT_GT(partial.lse.lt(-990).sum().item<int64_t>(), empty);
  EXPECT_EQ(
      partial.out.masked_select(partial.lse.eq(kEmpty).unsqueeze(-1)).abs().sum().item<double>(),
      0);
}

TEST(MergeInputs, RowsFarBelowThatStillCountAreAmongThem) {
  const at::Tensor lse = merge_inputs(some_case("")).front().lse;
  for (const double sign : {1.0, -1.0}) {
    const at::Tensor gap = lse * sign;
    EXPECT_GT(gap.ge(4).logical_and(gap.le(16)).sum().item<int64_t>(), 0) << sign;
    EXPECT_GT(gap.gt(16).logical_and(gap.le(36)).sum().item<int64_t>(), 0) << sign;
  }
}

TEST(MergeInputs, HaveTheDtypesOfPartials) {
  const Partial narrow = merge_inputs(some_case(" dtype=bf16")).front();
  EXPECT_EQ(narrow.out.scalar_type(), at::kBFloat16);
  EXPECT_EQ(narrow.lse.scalar_type(), at::kFloat);
}

TEST(MergeInputs, AsDenseAttentionAreTheirWeightedMean) {
  const auto row = [](double out, double lse) {
    return Partial{at::full({1, 1, 1, 1}, out, at::kDouble), at::full({1, 1, 1}, lse, at::kDouble)};
  };
  const auto dense =
      reference::forward(dense_inputs({row(1, 0), row(4, std::log(2.0)), row(0, kEmpty)}));
  EXPECT_NEAR(dense.out.item<double>(), 3, 1e-15);
  EXPECT_NEAR(dense.lse.item<double>(), std::log(3.0), 1e-15);
}

TEST(MergeTrees, AreAllOrdersAndBracketings) {
  const size_t counts[] = {1, 2, 12, 120, 1680};
  for (int n = 1; n <= 5; ++n) {
    const MergeTrees trees(n);
    std::set<std::string> texts;
    for (int root : trees.roots()) texts.insert(trees.text(root));
    EXPECT_EQ(texts.size(), trees.roots().size());
    EXPECT_EQ(texts.size(), counts[n - 1] + 2);
  }
}

TEST(MergeTrees, AreWrittenWithTheirBrackets) {
  const MergeTrees trees(3);
  std::set<std::string> texts;
  for (int root : trees.roots()) texts.insert(trees.text(root));
  EXPECT_TRUE(texts.contains("((0 1) 2)"));
  EXPECT_TRUE(texts.contains("(2 (1 0))"));
  EXPECT_TRUE(texts.contains("(" + trees.text(trees.roots().front()) + " -)"));
  EXPECT_TRUE(texts.contains("(- " + trees.text(trees.roots().front()) + ")"));
}

}  // namespace
}  // namespace attncheck
