#include "gloo_cpu/group_factory.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gloo_cpu/rank_set.h"
#include "tests/gloo_cpu/test_support.h"

// The rank program's answer to `collectives`, on a tensor of 100 * rank + position: the sum, what
// was gathered, what was exchanged (all-to-all), and this rank's element of the sum.

namespace attncheck::gloo_cpu {
namespace {

TEST(GroupFactory, CollectivesOfTheWorldAreRight) {
  RankSet ranks(options_for(3));
  const auto replies = ranks.run("collectives");
  const std::string shared = "300 303 306 | 0 1 2 100 101 102 200 201 202 | ";
  EXPECT_EQ(replies[0].bytes, shared + "0 100 200 | 300 ");
  EXPECT_EQ(replies[1].bytes, shared + "1 101 201 | 303 ");
  EXPECT_EQ(replies[2].bytes, shared + "2 102 202 | 306 ");
}

TEST(GroupFactory, ASubgroupNeedsItsMembersAlone) {
  RankSet ranks(options_for(4));
  const auto replies = ranks.run("collectives 1 3");
  EXPECT_EQ(replies[0].bytes, "not a member");
  EXPECT_EQ(replies[1].bytes, "400 402 | 100 101 300 301 | 100 300 | 400 ");
  EXPECT_EQ(replies[2].bytes, "not a member");
  EXPECT_EQ(replies[3].bytes, "400 402 | 100 101 300 301 | 101 301 | 402 ");
}

TEST(GroupFactory, TheOrderOfTheMembersIsTheOrderOfTheGroup) {
  RankSet ranks(options_for(4));
  ranks.run("collectives 1 3");
  const auto replies = ranks.run("collectives 3 1");
  EXPECT_EQ(replies[1].bytes, "400 402 | 300 301 100 101 | 301 101 | 402 ");
  EXPECT_EQ(replies[3].bytes, "400 402 | 300 301 100 101 | 300 100 | 400 ");
}

TEST(GroupFactory, DisjointAndOverlappingGroupsLiveTogether) {
  RankSet ranks(options_for(4));
  for (int round = 0; round < 3; ++round) {
    for (const char* members : {"", "0 1", "2 3", "0 2", "1 3", "0 1 2"}) {
      ranks.run(std::string("collectives ") + members);
      ASSERT_TRUE(ranks.usable()) << members;
    }
  }
}

TEST(GroupFactory, AGroupOfOneTalksToItself) {
  const std::string alone = "100 | 100 | 100 | 100 ";
  EXPECT_EQ(RankSet(options_for(2)).run("collectives 1")[1].bytes, alone);
  EXPECT_EQ(RankSet(options_for(1)).run("collectives")[0].bytes, "0 | 0 | 0 | 0 ");
}

TEST(GroupFactory, RefusesMembersThatMakeNoGroup) {
  RankSet ranks(options_for(2));
  const auto refused = [&](const char* members) {
    return ranks.run(std::string("group ") + members)[0].bytes;
  };
  EXPECT_EQ(refused("0 2"), "group ranks_0_2: rank 2 is outside a world of 2");
  EXPECT_EQ(refused("0 0"), "group ranks_0_0: 2 members, but only 1 distinct ones");
  EXPECT_EQ(refused("1"), "group ranks_1: rank 0 asked for a group that it is not in");
  EXPECT_EQ(refused(""), "group ranks: rank 0 asked for a group that it is not in");
  EXPECT_EQ(refused("0"), "made");
}

}  // namespace
}  // namespace attncheck::gloo_cpu
