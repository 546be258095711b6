#include "gloo_cpu/launched_set.h"

#include <gtest/gtest.h>

#include "gloo_cpu/reply_bytes.h"
#include "gloo_cpu/steward.h"

namespace attncheck::gloo_cpu {
namespace {

TEST(LaunchedSet, InstructionsArriveAsTheyWereGiven) {
  Order order;
  order.set = 7;
  order.world = 4;
  order.timeout = std::chrono::milliseconds(1500);
  order.peer_grace = std::chrono::milliseconds(300);
  order.request = "impl=ring q=3\nand a second line";
  const Instruction run = instruction_in(run_text(order));
  EXPECT_EQ(run.kind, Instruction::Kind::run);
  EXPECT_EQ(run.order.set, 7);
  EXPECT_EQ(run.order.world, 4);
  EXPECT_EQ(run.order.timeout, order.timeout);
  EXPECT_EQ(run.order.peer_grace, order.peer_grace);
  EXPECT_EQ(run.order.request, order.request);
  EXPECT_EQ(instruction_in(drop_text(3)).order.set, 3);
  EXPECT_EQ(instruction_in(end_text(2)).code, 2);
  EXPECT_THROW(instruction_in("run 1"), c10::Error);
  EXPECT_THROW(instruction_in(""), c10::Error);
}

TEST(LaunchedSet, RepliesArriveAsTheyWereGiven) {
  PartReplies part;
  part.usable = false;
  part.replies.resize(2);
  part.replies[0].outcome = RankReply::Outcome::answered;
  part.replies[0].bytes = std::string("a\0b\nc", 5);
  part.replies[1].outcome = RankReply::Outcome::signalled;
  part.replies[1].code = 6;
  part.replies[1].log_tail = "terminate called\n";
  part.replies[1].after = std::chrono::microseconds(1234);
  const PartReplies got = replies_from_bytes(to_bytes(part));
  EXPECT_TRUE(got.started);
  EXPECT_FALSE(got.usable);
  ASSERT_EQ(got.replies.size(), 2u);
  EXPECT_EQ(got.replies[0].bytes, part.replies[0].bytes);
  EXPECT_EQ(got.replies[1].outcome, RankReply::Outcome::signalled);
  EXPECT_EQ(got.replies[1].code, 6);
  EXPECT_EQ(got.replies[1].log_tail, part.replies[1].log_tail);
  EXPECT_EQ(got.replies[1].after, part.replies[1].after);
  EXPECT_THROW(replies_from_bytes("nothing"), c10::Error);
}

TEST(Steward, EveryRankOfASetIsAtOneLaunchedProcess) {
  for (const int launched : {1, 2, 3, 4}) {
    LaunchedPlace place;
    place.world = launched;
    const Steward steward(place, {});
    for (const int world : {1, 2, 3, 4, 6, 8}) {
      int ranks = 0;
      for (int process = 0; process < launched; ++process)
        ranks += steward.ranks_at(process, world);
      EXPECT_EQ(ranks, world) << launched << " launched";
      if (world <= launched) {
        EXPECT_EQ(steward.ranks_at(world - 1, world), 1);
      }
    }
  }
}

}  // namespace
}  // namespace attncheck::gloo_cpu
