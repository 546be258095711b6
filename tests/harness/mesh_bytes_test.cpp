#include "harness/mesh_bytes.h"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

namespace attncheck {
namespace {

TEST(MeshBytes, OfARunGiveTheRunAgain) {
  const MeshRun run{
      {Mesh{3, 2, MeshOrder::ur}, {12, {1, 3, 5, 7, 9, 11}}, "a request", "pct:3:17", true},
      true,
      64,
      1};
  const MeshRun read = mesh_run_from_bytes(to_bytes(run));
  EXPECT_EQ(read.launch.mesh, run.launch.mesh);
  EXPECT_EQ(read.launch.placement.world, 12);
  EXPECT_EQ(read.launch.placement.members, run.launch.placement.members);
  EXPECT_EQ(read.launch.request, "a request");
  EXPECT_EQ(read.launch.schedule, "pct:3:17");
  EXPECT_TRUE(read.launch.watch);
  EXPECT_TRUE(read.renew);
  EXPECT_EQ(read.send_buffer, 64);
  EXPECT_EQ(read.core, 1);
}

TEST(MeshBytes, OfRepliesGiveTheReplies) {
  RankReply answered;
  answered.bytes = std::string("a\0b", 3);
  answered.trace = RankTrace{{{Finding::Kind::unmatched, "send #1", "nobody receives it"}},
                             {{2, "allgather", 96, 3}}};
  RankReply thrown;
  thrown.outcome = RankReply::Outcome::exited;
  thrown.note = "left its thread by an exception";
  thrown.waited = true;
  const auto read = replies_from_bytes(to_bytes(std::vector<RankReply>{answered, thrown}));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].outcome, RankReply::Outcome::answered);
  EXPECT_EQ(read[0].bytes, answered.bytes);
  ASSERT_TRUE(read[0].trace.has_value());
  EXPECT_EQ(read[0].trace->findings[0].kind, Finding::Kind::unmatched);
  EXPECT_EQ(read[0].trace->findings[0].operation, "send #1");
  EXPECT_EQ(read[0].trace->findings[0].text, "nobody receives it");
  EXPECT_EQ(read[0].trace->received[0].peer, 2);
  EXPECT_EQ(read[0].trace->received[0].operation, "allgather");
  EXPECT_EQ(read[0].trace->received[0].bytes, 96);
  EXPECT_EQ(read[0].trace->received[0].messages, 3);
  EXPECT_EQ(read[1].outcome, RankReply::Outcome::exited);
  EXPECT_EQ(read[1].note, thrown.note);
  EXPECT_TRUE(read[1].waited);
  EXPECT_FALSE(read[1].trace.has_value());
}

TEST(MeshBytes, ThatAreCutOrTooManyAreRefused) {
  const std::string bytes = to_bytes(std::vector<RankReply>{RankReply()});
  EXPECT_THROW(replies_from_bytes(bytes.substr(0, bytes.size() - 1)), c10::Error);
  EXPECT_THROW(replies_from_bytes(bytes + "x"), c10::Error);
  EXPECT_THROW(mesh_run_from_bytes("no run"), c10::Error);
}

}  // namespace
}  // namespace attncheck
