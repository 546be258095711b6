#include "properties/key_blocks.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

Request request_of(int64_t keys, int blocks, uint64_t seed) {
  Request request = base_request(parse_case(
      "impl=local mesh=1x1 q=2 d=1 kv=" + std::to_string(keys) + " seed=" + std::to_string(seed)));
  request.key_blocks = blocks;
  return request;
}

TEST(KeyBlocks, AreAsManyAsAskedForAndHoldEveryKeyOnce) {
  for (int blocks = 1; blocks <= 8; ++blocks) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto lengths = key_block_lengths(request_of(8 + seed, blocks, seed));
      EXPECT_EQ(lengths.size(), static_cast<size_t>(blocks));
      EXPECT_GE(*std::ranges::min_element(lengths), 1);
      EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), int64_t{0}), 8 + seed);
    }
  }
}

TEST(KeyBlocks, AreUnevenAndSomeHaveOneKey) {
  std::set<int64_t> first;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    first.insert(key_block_lengths(request_of(64, 3, seed)).front());
  }
  EXPECT_TRUE(first.contains(1));
  EXPECT_GE(first.size(), 8u);
}

TEST(KeyBlocks, AreAllKeysAtOnceUnlessAskedFor) {
  EXPECT_EQ(key_block_lengths(request_of(9, 0, 1)), std::vector<int64_t>{9});
}

TEST(KeyBlocks, AreTwoToEightAndNeverMoreThanKeys) {
  std::set<int> drawn;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    drawn.insert(drawn_key_blocks(request_of(64, 0, seed).case_));
    EXPECT_EQ(drawn_key_blocks(request_of(1, 0, seed).case_), 1);
  }
  EXPECT_EQ(drawn, (std::set<int>{2, 3, 4, 5, 6, 7, 8}));
}

TEST(KeyBlocks, RefuseMoreBlocksThanKeys) {
  EXPECT_ANY_THROW(key_block_lengths(request_of(2, 3, 1)));
}

}  // namespace
}  // namespace attncheck
