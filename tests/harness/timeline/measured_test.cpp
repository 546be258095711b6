#include "harness/timeline/measured.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "harness/timeline/critical_path.h"
#include "problem/case_text.h"

namespace attncheck::timeline {
namespace {

using timing::Diary;
using Kind = Span::Kind;

const Case kPair = parse_case("impl=ring mesh=2x1 q=2 d=1 transport=gloo");

// Rank 0 begins at 100, posts its send at 103, and ends at 110 after 2 s of backward.
Diary sender() {
  Diary diary;
  diary.exchanges = {{"send", "ring", 1, 7, 4}};
  diary.deeds = {{false, 0, 103, 104}, {true, 0, 106, 106.5}};
  diary.begin = 100, diary.backward = 108, diary.end = 110;
  return diary;
}

// Rank 1 posts its receive at 101 and has it at 107.
Diary receiver() {
  Diary diary;
  diary.exchanges = {{"recv", "ring", 0, 7, 4}};
  diary.deeds = {{false, 0, 101, 101}, {true, 0, 102, 107}};
  diary.begin = 100.5, diary.backward = 108, diary.end = 111;
  return diary;
}

double seconds_of(const Trace& trace, Kind kind, int rank, const std::string& pass = "") {
  double seconds = 0;
  for (const Span& span : trace.spans) {
    if (span.kind == kind && span.rank == rank && span.pass == pass) seconds += span.seconds();
  }
  return seconds;
}

TEST(Measured, WhatIsNeitherPostedNorWaitedForIsComputed) {
  const Trace trace = measured(kPair, {sender(), receiver()});
  EXPECT_TRUE(trace.measured);
  EXPECT_DOUBLE_EQ(seconds_of(trace, Kind::post, 0), 1);
  EXPECT_DOUBLE_EQ(seconds_of(trace, Kind::wait, 0), 0.5);
  EXPECT_DOUBLE_EQ(seconds_of(trace, Kind::compute, 0, "forward"), 6.5);
  EXPECT_DOUBLE_EQ(seconds_of(trace, Kind::compute, 0, "backward"), 2);
}

TEST(Measured, ATransferBeginsWhenItsLastRankPostedIt) {
  const Trace trace = measured(kPair, {sender(), receiver()});
  EXPECT_DOUBLE_EQ(seconds_of(trace, Kind::transfer, 1), 4);  // 103 to 107
  EXPECT_DOUBLE_EQ(seconds_of(trace, Kind::transfer, 0), 0);
}

TEST(Measured, TheCriticalPathGoesThroughTheSender) {
  const std::vector<Span> path = critical_path(measured(kPair, {sender(), receiver()}));
  ASSERT_GE(path.size(), 3u);
  EXPECT_EQ(path.front().rank, 0);
  EXPECT_DOUBLE_EQ(path.front().end, 3);
  EXPECT_EQ(path[1].kind, Kind::transfer);
  EXPECT_EQ(path.back().rank, 1);
  EXPECT_DOUBLE_EQ(path.back().end, 11);
}

TEST(Measured, EveryRankOfACollectiveMeetsEveryOtherOfItsGroupAlone) {
  const Case c = parse_case("impl=unified mesh=2x2 q=4 h=2 d=1 transport=gloo");
  std::vector<Diary> diaries(4);
  for (int rank = 0; rank < 4; ++rank) {
    diaries[rank].exchanges = {{"alltoall", "ulysses", -1, 0, 8},
                               {"alltoall", "ulysses", -1, 0, 8}};
    diaries[rank].end = 1;
  }
  const Trace trace = measured(c, diaries);
  EXPECT_EQ(trace.meetings.size(), 8u);
  for (const Meeting& meeting : trace.meetings) {
    EXPECT_EQ(c.mesh.ring_index(meeting.from_rank), c.mesh.ring_index(meeting.to_rank));
    EXPECT_EQ(meeting.from_exchange, meeting.to_exchange);
  }
}

TEST(Measured, DiariesCrossAProcess) {
  const Diary there = receiver();
  const Diary here = timing::diary_from_bytes(timing::to_bytes(there));
  ASSERT_EQ(here.deeds.size(), 2u);
  EXPECT_TRUE(here.deeds[1].waited);
  EXPECT_EQ(here.deeds[1].end, 107);
  EXPECT_EQ(here.exchanges.at(0).peer, 0);
  EXPECT_EQ(here.exchanges.at(0).tag, 7);
  EXPECT_EQ(here.end, 111);
  EXPECT_THROW(timing::diary_from_bytes("{}"), std::invalid_argument);
}

}  // namespace
}  // namespace attncheck::timeline
