#include "problem/problem_faults.h"

#include <gtest/gtest.h>

namespace attncheck {
namespace {

using Faults = std::vector<std::string>;

Problem of_twelve_tokens() {
  Problem p;
  p.q_len = p.kv_len = 12;
  p.heads = p.kv_heads = 4;
  return p;
}

TEST(ProblemFaults, NothingIsWrongWithWhatCanBeComputed) {
  Problem p = of_twelve_tokens();
  EXPECT_EQ(size_faults(p), Faults{});
  EXPECT_EQ(shard_faults(p, 5), Faults{});
  p.kv_heads = 2;
  p.kv_len = 7;
  for (const std::vector<int64_t>& shards : {std::vector<int64_t>{12, 0, 0}, {0, 5, 2}}) {
    p.shards = shards;
    EXPECT_EQ(size_faults(p), Faults{});
    EXPECT_EQ(shard_faults(p, 3), Faults{});
  }
}

TEST(ProblemFaults, EverySizeThatIsWrongIsNamed) {
  Problem p = of_twelve_tokens();
  p.kv_heads = 3;
  p.kv_len = 0;
  EXPECT_EQ(size_faults(p),
            (Faults{"h=4 is no multiple of hkv=3", "q=12 and kv=0: both need a token"}));
  p.kv_heads = 0;
  EXPECT_EQ(size_faults(p).front(), "h=4 is no multiple of hkv=0");
}

TEST(ProblemFaults, EveryFaultOfShardsIsNamed) {
  Problem p = of_twelve_tokens();
  p.layout = Layout::zigzag;
  p.shards = {4, 9};
  EXPECT_EQ(shard_faults(p, 3),
            (Faults{"shards=4,9 cuts a contiguous sequence: use layout=contiguous, or leave it out",
                    "shards=4,9 needs a length for each of the 3 ranks of the mesh",
                    "shards=4,9 adds up to 13: expected q=12 or kv=12"}));
}

TEST(ProblemFaults, AShardOfNegativeLengthIsNone) {
  Problem p = of_twelve_tokens();
  p.shards = {13, -1};
  EXPECT_EQ(shard_faults(p, 2), Faults{"shards=13,-1 has a negative length"});
}

}  // namespace
}  // namespace attncheck
