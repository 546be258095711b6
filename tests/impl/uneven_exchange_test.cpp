#include <functional>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <gtest/gtest.h>

#include "impl/collectives/exchange.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::normal;
using testing::run_on_mesh;

// Tokens of the ranks; some have none, and once nobody has any.
const std::vector<Lengths> kTokens{{3, 1, 2}, {0, 4, 0}, {5, 0, 1}, {0, 0, 0}, {2, 2, 2}};

// (2, tokens, 6, 5) of one rank, distinct, with strides that are not those of a fresh tensor.
at::Tensor own(const Lengths& tokens, int rank) {
  return normal({2, 6, tokens[rank], 5}, 20 + rank).transpose(1, 2);
}

// The work on rank r of three, with the tokens of all.
void on_three_ranks(const std::function<void(const Lengths&, int, c10d::ProcessGroup&)>& work) {
  for (const Lengths& tokens : kTokens) {
    run_on_mesh({3, 1}, [&](const MeshGroups& groups) { work(tokens, groups.rank, *groups.ring); });
  }
}

TEST(UnevenExchange, AllToAllJoinsTheTokensOfAll) {
  on_three_ranks([](const Lengths& tokens, int rank, c10d::ProcessGroup& group) {
    std::vector<at::Tensor> pieces;
    for (int i = 0; i < 3; ++i) pieces.push_back(own(tokens, i).narrow(2, 2 * rank, 2));
    const at::Tensor got = post_all_to_all(own(tokens, rank), group, 2, 1, {}, tokens).wait();
    EXPECT_EQ(difference(got, at::cat(pieces, 1)), 0.0);
    const at::Tensor back = post_all_to_all(got, group, 1, 2, tokens, {}).wait();
    EXPECT_EQ(difference(back, own(tokens, rank)), 0.0);
  });
}

TEST(UnevenExchange, AllGatherReturnsTheTensorsByRank) {
  on_three_ranks([](const Lengths& tokens, int rank, c10d::ProcessGroup& group) {
    const auto all = post_all_gather(own(tokens, rank), group, 1, tokens).wait();
    ASSERT_EQ(all.size(), 3u);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(difference(all[i], own(tokens, i)), 0.0);
  });
}

TEST(UnevenExchange, ReduceScatterSumsWhatAllHaveForTheRank) {
  on_three_ranks([](const Lengths& tokens, int rank, c10d::ProcessGroup& group) {
    std::vector<at::Tensor> by_rank;
    for (int i = 0; i < 3; ++i) by_rank.push_back(own(tokens, i) * (rank + 1.0));
    const at::Tensor got = reduce_scatter(by_rank, group);
    EXPECT_LE(difference(got, own(tokens, rank) * 6.0), 1e-14);
  });
}

TEST(UnevenExchange, ShiftAndRotationBringWhatTheOtherHas) {
  on_three_ranks([](const Lengths& tokens, int rank, c10d::ProcessGroup& group) {
    for (const int hops : {-2, -1, 0, 1, 2}) {
      const int from = (rank - hops + 3) % 3;
      const at::Tensor x = own(tokens, rank), due = own(tokens, from);
      const std::vector<Sizes> arriving{due.sizes().vec(), due.sizes().vec()};
      const auto shifted = post_shift({x, x + 1.0}, group, hops, 0, arriving).wait();
      const auto rotated = post_rotation({x, x + 1.0}, group, hops, arriving).wait();
      for (const auto& got : {shifted, rotated}) {
        EXPECT_EQ(difference(got[0], due), 0.0);
        EXPECT_EQ(difference(got[1], due + 1.0), 0.0);
      }
    }
  });
}

TEST(UnevenExchange, OfOneRankReturnsItsInput) {
  run_on_mesh({1, 1}, [](const MeshGroups& groups) {
    const at::Tensor x = own({3}, 0);
    EXPECT_EQ(difference(post_all_to_all(x, *groups.ring, 2, 1, {}, {3}).wait(), x), 0.0);
    EXPECT_EQ(difference(post_all_gather(x, *groups.ring, 1, {3}).wait()[0], x), 0.0);
    EXPECT_EQ(difference(reduce_scatter(std::vector<at::Tensor>{x}, *groups.ring), x), 0.0);
    EXPECT_EQ(difference(post_rotation({x}, *groups.ring, 1).wait()[0], x), 0.0);
  });
}

}  // namespace
}  // namespace attncheck
