#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "tests/impl/mesh_testing.h"
#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

using testing::arrives;

TEST(CollectiveMutants, ScrambleABatchOfMoreThanOneAlone) {
  EXPECT_TRUE(arrives("C1", "mesh=1x2 b=1 q=4 h=4 d=3"));
  EXPECT_TRUE(arrives("C1", "mesh=2x1 b=2 q=4 h=4 d=3"));
  EXPECT_FALSE(arrives("C1", "mesh=1x2 b=2 q=4 h=4 d=1"));
}

TEST(CollectiveMutants, MixTokensWithSeveralHeadsAlone) {
  EXPECT_TRUE(arrives("C2", "mesh=2x1 b=2 q=4 h=4 d=3"));
  EXPECT_TRUE(arrives("C2", "mesh=1x2 b=2 q=4 h=2 d=3"));
  EXPECT_FALSE(arrives("C2", "mesh=1x2 q=4 h=4 d=1"));
}

TEST(CollectiveMutants, ReturnTheSiblingsShape) {
  EXPECT_TRUE(arrives("C3", "mesh=1x1 b=2 q=4 h=4 d=3"));
  EXPECT_FALSE(arrives("C3", "mesh=1x2 q=2 h=2 d=1"));
}

// Each rank's loss is the sum of all that it gathered.
TEST(CollectiveMutants, GatherWithoutASumOverRanksInBackward) {
  EXPECT_TRUE(arrives("A5", "mesh=3x1 b=2 q=6 h=2 d=3"));
  const Collective gather = std::get<Collective>(testing::mutant("A5").subject);
  testing::run_on_mesh(parse_mesh("3x1"), [&](const MeshGroups& groups) {
    const at::Tensor x = at::ones({1, 2, 1, 1}).requires_grad_(true);
    const at::Tensor y = gather.apply(x, groups);
    const auto grads = testing::gradients({y}, {x}, {at::ones({1, 6, 1, 1})});
    EXPECT_TRUE(grads[0].equal(at::ones({1, 2, 1, 1})));  // 3 would be right
  });
}

// The loss is the sum of what the ranks compute: each element of x counts once on every rank.
TEST(CollectiveMutants, SumWithoutAutograd) {
  const Collective sum = std::get<Collective>(testing::mutant("A18").subject);
  testing::run_on_mesh(parse_mesh("3x1"), [&](const MeshGroups& groups) {
    const at::Tensor x = at::ones({1, 2, 1, 1}).requires_grad_(true);
    const at::Tensor y = sum.apply(x, groups);
    EXPECT_TRUE(y.detach().equal(at::ones({1, 2, 1, 1}) * 3));
    const auto grads = testing::gradients({y}, {x}, {at::ones({1, 2, 1, 1})});
    EXPECT_TRUE(grads[0].equal(at::ones({1, 2, 1, 1})));  // 3 would be right
  });
}

}  // namespace
}  // namespace attncheck
