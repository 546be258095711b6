#include "impl/sharding/split_gather.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "tests/impl/mesh_testing.h"

namespace attncheck {
namespace {

using testing::gradients;
using testing::run_on_mesh;

// (2, length, 3), or with the sequence along another axis; a number of its own at every place.
at::Tensor numbered(int64_t length, int64_t axis, double from) {
  const std::vector<int64_t> sizes = axis == 0   ? std::vector<int64_t>{length, 2, 3}
                                     : axis == 1 ? std::vector<int64_t>{2, length, 3}
                                                 : std::vector<int64_t>{2, 3, length};
  return at::arange(6 * length, at::kDouble).view(sizes) + from;
}

at::Tensor part(const at::Tensor& x, int64_t axis, const ShardLengths& lengths, int rank) {
  int64_t begin = 0;
  for (int before = 0; before < rank; ++before) begin += lengths[before];
  return x.narrow(axis, begin, lengths[rank]);
}

const std::vector<ShardLengths>& all_lengths() {
  static const std::vector<ShardLengths> lengths{{2, 2, 2}, {3, 1, 2}, {0, 4, 1}, {1, 0, 0}};
  return lengths;
}

template <typename Check>
void on_every_rank(const Check& check) {
  for (const ShardLengths& lengths : all_lengths()) {
    for (int64_t axis : {0, 1, 2}) {
      run_on_mesh(parse_mesh("3x1"),
                  [&](const MeshGroups& groups) { check(groups, axis, lengths); });
    }
  }
}

TEST(SplitGather, SplitGivesTheRanksPartAndItsGradientZeroElsewhere) {
  on_every_rank([](const MeshGroups& groups, int64_t axis, const ShardLengths& lengths) {
    const at::Tensor x = numbered(total(lengths), axis, 1).requires_grad_(true);
    const at::Tensor y = split_axis(x, keep(groups.world), axis, lengths);
    EXPECT_TRUE(y.equal(part(x, axis, lengths, groups.rank)));
    const at::Tensor dy = y.detach() + groups.rank;
    const auto dx = gradients({y}, {x}, {dy});
    at::Tensor want = at::zeros_like(x);
    part(want, axis, lengths, groups.rank).copy_(dy);
    EXPECT_TRUE(dx[0].equal(want));
  });
}

TEST(SplitGather, TheWholeGradientOfASplitIsThatOfAllRanks) {
  on_every_rank([](const MeshGroups& groups, int64_t axis, const ShardLengths& lengths) {
    const at::Tensor x = numbered(total(lengths), axis, 1).requires_grad_(true);
    const at::Tensor y = split_axis(x, keep(groups.world), axis, lengths, SplitGradient::whole);
    const at::Tensor all = numbered(total(lengths), axis, 100);
    const auto dx = gradients({y}, {x}, {part(all, axis, lengths, groups.rank).clone()});
    EXPECT_TRUE(dx[0].equal(all));
  });
}

// Every rank has a cotangent of its own for the whole.
TEST(SplitGather, GatherJoinsTheShardsAndSumsTheirGradientsOverTheRanks) {
  on_every_rank([](const MeshGroups& groups, int64_t axis, const ShardLengths& lengths) {
    const at::Tensor whole = numbered(total(lengths), axis, 1);
    const at::Tensor x = part(whole, axis, lengths, groups.rank).clone().requires_grad_(true);
    const at::Tensor y = gather_axis(x, keep(groups.world), axis, lengths);
    EXPECT_TRUE(y.equal(whole));
    const auto dx = gradients({y}, {x}, {whole * (groups.rank + 1)});
    EXPECT_TRUE(dx[0].equal(x.detach() * (1 + 2 + 3)));
  });
}

// sum over ranks of (A x) . y = x . (A* y), for split as for gather.
TEST(SplitGather, BackwardIsTheAdjointOfForward) {
  std::vector<double> forward(3), backward(3);
  const ShardLengths lengths{3, 1, 2};
  run_on_mesh(parse_mesh("3x1"), [&](const MeshGroups& groups) {
    const at::Tensor x = numbered(lengths[groups.rank], 1, groups.rank).requires_grad_(true);
    const at::Tensor whole = gather_axis(x, keep(groups.world), 1, lengths);
    const at::Tensor y = split_axis(whole.square(), keep(groups.world), 1, {1, 5, 0});
    const at::Tensor dy = numbered(y.size(1), 1, 7 * groups.rank);
    forward[groups.rank] = (y.detach() * dy).sum().item<double>();
    const auto dx = gradients({y}, {x}, {dy});
    backward[groups.rank] = (x.detach() * dx[0]).sum().item<double>() / 2;  // of x squared
  });
  EXPECT_EQ(forward[0] + forward[1] + forward[2], backward[0] + backward[1] + backward[2]);
}

TEST(SplitGather, RefusesWrongLengthsAndAxesOnEveryRank) {
  const auto errors = [](const auto& work) {
    return testing::errors_on_mesh(parse_mesh("2x1"), work);
  };
  const at::Tensor x = numbered(5, 1, 0);
  for (const auto& error : errors([&](const MeshGroups& groups) {
         split_axis(x, keep(groups.world), 1, {3, 3});
       })) {
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->find("has length 5, the lengths of the shards say 6"), std::string::npos);
  }
  for (const auto& error : errors([&](const MeshGroups& groups) {
         gather_axis(x, keep(groups.world), 3, {5, 5});
       })) {
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->find("there is no axis 3"), std::string::npos);
  }
  for (const auto& error :
       errors([&](const MeshGroups& groups) { split_axis(x, keep(groups.world), 1, {5}); })) {
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->find("1 lengths of shards for 2 ranks"), std::string::npos);
  }
}

}  // namespace
}  // namespace attncheck
