#include "properties/token_positions.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

Problem with_layout(Layout layout) {
  Problem problem;
  problem.layout = layout;
  return problem;
}

TEST(TokenPositions, EveryLayoutHoldsEveryTokenOnce) {
  for (Layout layout : {Layout::contiguous, Layout::zigzag, Layout::striped}) {
    for (int world : {1, 2, 3, 5}) {
      for (int64_t length : {1, 4, 7, 24}) {
        std::vector<int64_t> all;
        for (int rank = 0; rank < world; ++rank) {
          const auto held = shard_positions(with_layout(layout), length, world, rank);
          all.insert(all.end(), held.begin(), held.end());
        }
        std::sort(all.begin(), all.end());
        ASSERT_EQ(static_cast<int64_t>(all.size()), length);
        for (int64_t p = 0; p < length; ++p) EXPECT_EQ(all[p], p);
      }
    }
  }
}

TEST(TokenPositions, LayoutsAreTheOnesOfTheField) {
  using Positions = std::vector<int64_t>;
  EXPECT_EQ(shard_positions(with_layout(Layout::contiguous), 8, 2, 1), (Positions{4, 5, 6, 7}));
  EXPECT_EQ(shard_positions(with_layout(Layout::contiguous), 7, 2, 1), (Positions{4, 5, 6}));
  EXPECT_EQ(shard_positions(with_layout(Layout::zigzag), 8, 2, 1), (Positions{2, 3, 4, 5}));
  EXPECT_EQ(shard_positions(with_layout(Layout::striped), 8, 2, 1), (Positions{1, 3, 5, 7}));
}

TEST(TokenPositions, GivenLengthsAreTaken) {
  Problem problem;
  problem.shards = {4, 0, 3};
  EXPECT_EQ(shard_positions(problem, 7, 3, 0), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(shard_positions(problem, 7, 3, 1).empty());
  EXPECT_EQ(shard_positions(problem, 7, 3, 2), (std::vector<int64_t>{4, 5, 6}));
}

TEST(TokenPositions, KeyOwnerIsTheRankThatHoldsIt) {
  Case c;
  c.mesh = {3, 1};
  c.problem.kv_len = 6;
  EXPECT_EQ(key_owner(c, 0), 0);
  EXPECT_EQ(key_owner(c, 3), 1);
  EXPECT_EQ(key_owner(c, 5), 2);
}

TEST(TokenPositions, JointTokensAreHeldByEveryRankBesideItsShard) {
  using Positions = std::vector<int64_t>;
  const std::string text = "impl=ring mesh=2x1 q=6 kv=8 d=1 joint=";
  const Case front = parse_case(text + "front:2"),
             rear = parse_case(text + "rear:2 layout=striped");
  EXPECT_EQ(q_positions(front, 0), (Positions{0, 1, 2, 3}));
  EXPECT_EQ(q_positions(front, 1), (Positions{0, 1, 4, 5}));
  EXPECT_EQ(kv_positions(front, 1), (Positions{0, 1, 5, 6, 7}));
  EXPECT_EQ(q_positions(rear, 1), (Positions{1, 3, 4, 5}));
  EXPECT_EQ(kv_positions(rear, 0), (Positions{0, 2, 4, 6, 7}));
}

TEST(TokenPositions, EveryQueryAndKeyHasOneOwner) {
  for (const char* joint : {"none", "front:3", "rear:2"}) {
    const Case c = parse_case(std::string("impl=ring mesh=3x1 q=10 kv=9 d=1 joint=") + joint);
    std::vector<int> owners(10);
    std::set<int> of_keys;
    for (int rank = 0; rank < 3; ++rank)
      for (int64_t position : q_positions(c, rank))
        owners[position] += owns_query(c, rank, position);
    EXPECT_EQ(owners, std::vector<int>(10, 1)) << joint;
    for (int64_t key = 0; key < 9; ++key) of_keys.insert(key_owner(c, key));
    EXPECT_EQ(of_keys, (std::set<int>{0, 1, 2})) << joint;
  }
}

}  // namespace
}  // namespace attncheck
