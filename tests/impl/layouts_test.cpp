#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "impl/layouts/blocks.h"
#include "impl/layouts/strands.h"
#include "impl/layouts/token_order.h"

namespace attncheck {
namespace {

using Positions = std::vector<int64_t>;

Positions positions(const Strands& strands) {
  Positions all;
  for (const Strand& s : strands) {
    for (int64_t i = 0; i < s.length; ++i) all.push_back(s.offset + i * s.stride);
  }
  return all;
}

Positions held(Layout layout, int64_t len, int ranks, int rank, Positions shards = {}) {
  return positions(held_tokens({layout, ranks, std::move(shards)}, len, rank));
}

const std::vector<Layout> kLayouts{Layout::contiguous, Layout::zigzag, Layout::striped};

TEST(HeldTokens, AreThoseOfTheLayout) {
  EXPECT_EQ(held(Layout::contiguous, 7, 3, 0), (Positions{0, 1, 2}));
  EXPECT_EQ(held(Layout::contiguous, 7, 3, 2), (Positions{5, 6}));
  EXPECT_EQ(held(Layout::contiguous, 7, 3, 2, {0, 3, 4}), (Positions{3, 4, 5, 6}));
  EXPECT_EQ(held(Layout::contiguous, 6, 3, 2, {0, 3, 4}), (Positions{4, 5}));
  EXPECT_EQ(held(Layout::zigzag, 7, 2, 0), (Positions{0, 1, 6}));
  EXPECT_EQ(held(Layout::zigzag, 7, 2, 1), (Positions{2, 3, 4, 5}));
  EXPECT_EQ(held(Layout::striped, 7, 3, 1), (Positions{1, 4}));
  EXPECT_EQ(held(Layout::striped, 1, 3, 1), Positions{});
}

TEST(HeldTokens, AreEachHeldOnce) {
  for (const Layout layout : kLayouts) {
    for (int ranks = 1; ranks <= 5; ++ranks) {
      for (int64_t len = 1; len <= 23; ++len) {
        std::multiset<int64_t> all;
        for (int rank = 0; rank < ranks; ++rank) {
          const Positions own = held(layout, len, ranks, rank);
          all.insert(own.begin(), own.end());
        }
        EXPECT_EQ(all.size(), static_cast<size_t>(len));
        EXPECT_EQ(std::set(all.begin(), all.end()).size(), static_cast<size_t>(len));
      }
    }
  }
}

// Every Ulysses group of some meshes, by layout.
std::vector<Strands> every_group(Layout layout, int64_t len) {
  std::vector<Strands> all;
  for (const MeshOrder order : {MeshOrder::ru, MeshOrder::ur}) {
    for (Mesh mesh : {Mesh{1, 4}, Mesh{2, 2}, Mesh{3, 1}, Mesh{2, 3}, Mesh{1, 1}}) {
      mesh.order = order;
      for (int index = 0; index < mesh.ring; ++index) {
        all.push_back(group_tokens({layout, mesh.world(), {}}, len, mesh, index));
      }
    }
  }
  return all;
}

TEST(InOrder, KeepsTheTokensAndTellsTheirPlaces) {
  for (const Layout layout : kLayouts) {
    for (int64_t len = 1; len <= 17; ++len) {
      for (const Strands& group : every_group(layout, len)) {
        const TokenOrder order = in_order(group);
        const Positions came = positions(group), ordered = positions(order.strands);
        if (order.places.empty()) {
          EXPECT_EQ(ordered, came);
          continue;
        }
        ASSERT_EQ(order.places.size(), came.size());
        for (size_t i = 0; i < came.size(); ++i) EXPECT_EQ(ordered[i], came[order.places[i]]);
      }
    }
  }
}

TEST(InOrder, JoinsWhatMakesOneStrand) {
  const auto group = [](Layout layout, Mesh mesh, int index) {
    return in_order(group_tokens({layout, mesh.world(), {}}, 16, mesh, index)).strands;
  };
  for (const Layout layout : kLayouts) {
    EXPECT_EQ(group(layout, {1, 4}, 0), (Strands{{0, 1, 16}}));
  }
  EXPECT_EQ(group(Layout::contiguous, {2, 2}, 1), (Strands{{8, 1, 8}}));
  EXPECT_EQ(group(Layout::zigzag, {2, 2}, 0), (Strands{{0, 1, 4}, {12, 1, 4}}));
  EXPECT_EQ(group(Layout::striped, {2, 2}, 0), (Strands{{0, 4, 4}, {1, 4, 4}}));
  EXPECT_EQ(group(Layout::striped, {2, 2, MeshOrder::ur}, 1), (Strands{{1, 2, 8}}));
}

// The (query, key) pairs that the blocks let see each other, by places in the shards.
std::multiset<std::pair<int64_t, int64_t>> pairs_of(const std::vector<Block>& blocks) {
  std::multiset<std::pair<int64_t, int64_t>> pairs;
  for (const Block& block : blocks) {
    for (int64_t i = 0; i < block.queries.length; ++i) {
      for (int64_t j = 0; j < block.keys.length; ++j) {
        if (block.diagonal && j > i + *block.diagonal) continue;
        if (block.lower && j < i + *block.lower) continue;
        pairs.insert({block.queries.begin + i, block.keys.begin + j});
      }
    }
  }
  return pairs;
}

std::multiset<std::pair<int64_t, int64_t>> pairs_by_position(const Positions& queries,
                                                             const Positions& keys,
                                                             int64_t diagonal) {
  std::multiset<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < queries.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) {
      if (keys[j] <= queries[i] + diagonal) pairs.insert({int64_t(i), int64_t(j)});
    }
  }
  return pairs;
}

TEST(VisibleBlocks, HoldEveryVisiblePairOnce) {
  for (const Layout layout : kLayouts) {
    for (const Strands& queries : every_group(layout, 13)) {
      for (const Strands& keys : every_group(layout, 10)) {
        const Strands q = in_order(queries).strands, k = in_order(keys).strands;
        if (!q.empty() && !k.empty() && q[0].stride != k[0].stride) continue;
        for (const int64_t diagonal : {-9, -3, 0, 1, 5, 20}) {
          const auto blocks = visible_blocks(q, k, diagonal);
          EXPECT_EQ(pairs_of(blocks), pairs_by_position(positions(q), positions(k), diagonal));
          for (const Block& block : blocks) EXPECT_FALSE(pairs_of({block}).empty());
        }
      }
    }
  }
}

int64_t document_at(int64_t position, const std::vector<int64_t>& documents) {
  int64_t number = 0;
  for (int64_t end = documents[0]; position >= end; end += documents[++number]) {
  }
  return number;
}

std::multiset<std::pair<int64_t, int64_t>> pairs_seen(const Positions& queries,
                                                      const Positions& keys,
                                                      const Visibility& visibility) {
  const auto& [band, documents] = visibility;
  std::multiset<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < queries.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) {
      const int64_t ahead = keys[j] - queries[i];
      if (band.lower && ahead < *band.lower) continue;
      if (band.upper && ahead > *band.upper) continue;
      if (document_at(keys[j], documents) != document_at(queries[i], documents)) continue;
      pairs.insert({int64_t(i), int64_t(j)});
    }
  }
  return pairs;
}

TEST(VisibleBlocks, HoldEveryPairOfABandWithinADocumentOnce) {
  const std::vector<std::vector<int64_t>> packed{{13}, {1, 12}, {4, 2, 7}, {3, 3, 3, 3, 1}};
  for (const Layout layout : kLayouts) {
    for (const Strands& queries : every_group(layout, 13)) {
      for (const Strands& keys : every_group(layout, 13)) {
        const Strands q = in_order(queries).strands, k = in_order(keys).strands;
        if (!q.empty() && !k.empty() && q[0].stride != k[0].stride) continue;
        for (const auto& documents : packed) {
          for (const Band& band : {Band{}, Band{-2, 2}, Band{-3, 0}, Band{0, {}}, Band{1, 4}}) {
            const Visibility visibility{band, documents};
            const auto blocks = visible_blocks(cut_at_documents(q, documents),
                                               cut_at_documents(k, documents), visibility);
            EXPECT_EQ(pairs_of(blocks), pairs_seen(positions(q), positions(k), visibility));
          }
        }
      }
    }
  }
}

TEST(VisibleBlocks, LeaveOutShardsThatAWindowDoesNotReach) {
  const TokenSplit split{Layout::contiguous, 8, {}};
  const Visibility window{{-8, 0}, {}};
  for (int rank = 0; rank < 8; ++rank) {
    int seen = 0;
    for (int owner = 0; owner < 8; ++owner) {
      seen += visible_blocks(held_tokens(split, 64, rank), held_tokens(split, 64, owner), window)
                      .empty()
                  ? 0
                  : 1;
    }
    EXPECT_EQ(seen, rank == 0 ? 1 : 2);
  }
}

// The pairs that a rank's kernel looks at: whole blocks, but for the hidden half of a square.
int64_t work_of(Layout layout, int64_t len, int ranks, int rank) {
  int64_t work = 0;
  const TokenSplit split{layout, ranks, {}};
  const Strands queries = in_order(held_tokens(split, len, rank)).strands;
  for (int owner = 0; owner < ranks; ++owner) {
    const Strands keys = in_order(held_tokens(split, len, owner)).strands;
    work += static_cast<int64_t>(pairs_of(visible_blocks(queries, keys, 0)).size());
  }
  return work;
}

TEST(VisibleBlocks, AreBalancedInZigzag) {
  for (const int ranks : {2, 4}) {
    std::vector<int64_t> work;
    for (int rank = 0; rank < ranks; ++rank) {
      work.push_back(work_of(Layout::zigzag, 64, ranks, rank));
    }
    EXPECT_EQ(*std::min_element(work.begin(), work.end()),
              *std::max_element(work.begin(), work.end()));
  }
}

TEST(VisibleBlocks, OfQueriesThatSeeTheSameKeysAreOne) {
  const TokenSplit split{Layout::zigzag, 4, {}};
  const Strands queries = held_tokens(split, 64, 2), keys = held_tokens(split, 64, 0);
  const auto blocks = visible_blocks(queries, keys, 0);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].queries.length, 16);
  EXPECT_EQ(blocks[0].keys.length, 8);
  EXPECT_FALSE(blocks[0].diagonal.has_value());
}

int64_t pair_count(const Block& block) {
  int64_t pairs = 0;
  for (int64_t i = 0; i < block.queries.length; ++i) {
    const int64_t seen = block.diagonal ? i + *block.diagonal + 1 : block.keys.length;
    pairs += std::clamp<int64_t>(seen, 0, block.keys.length);
  }
  return pairs;
}

// Half of the pairs that are computed when nothing is causal, as many on every rank.
TEST(VisibleBlocks, OfACausalZigzagHoldHalfOfThePairsSharedEvenly) {
  constexpr int64_t kTokens = 4096;
  for (const int ranks : {2, 4, 8}) {
    const TokenSplit split{Layout::zigzag, ranks, {}};
    for (int rank = 0; rank < ranks; ++rank) {
      int64_t pairs = 0;
      for (int owner = 0; owner < ranks; ++owner) {
        for (const Block& block : visible_blocks(held_tokens(split, kTokens, rank),
                                                 held_tokens(split, kTokens, owner), 0)) {
          pairs += pair_count(block);
        }
      }
      EXPECT_EQ(pairs, kTokens * (kTokens + 1) / 2 / ranks) << "rank " << rank << " of " << ranks;
    }
  }
}

// The rank's own keys: one call of a kernel, with the diagonal in its corner.
TEST(VisibleBlocks, OfAZigzagShardAndItsOwnKeysAreOneDiagonal) {
  for (const int64_t tokens : {16, 64, 61}) {
    const TokenSplit split{Layout::zigzag, 4, {}};
    for (int rank = 0; rank < 4; ++rank) {
      const Strands held = in_order(held_tokens(split, tokens, rank)).strands;
      const auto blocks = visible_blocks(held, held, 0);
      ASSERT_EQ(blocks.size(), 1u) << tokens << " " << rank;
      EXPECT_EQ(blocks[0].queries.length, token_count(held));
      EXPECT_EQ(blocks[0].keys.length, token_count(held));
      EXPECT_EQ(blocks[0].diagonal, 0);
    }
  }
}

TEST(VisibleBlocks, OfKeysThatAllSeeAreOne) {
  const TokenSplit split{Layout::zigzag, 4, {}};
  const Strands queries = held_tokens(split, 64, 0), keys = held_tokens(split, 64, 2);
  const auto blocks = visible_blocks(queries, keys, 0);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].keys.length, 16);
  EXPECT_FALSE(blocks[0].diagonal.has_value());
}

}  // namespace
}  // namespace attncheck
