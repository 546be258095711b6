#include <algorithm>

#include <gtest/gtest.h>

#include "harness/scale/timeline.h"

namespace attncheck::scale {
namespace {

Machine unit_machine() {
  const Link link{"unit", 1, 1};  // a second, and a byte a second
  return {link, link, 8, 1};
}

Script sender_of(int64_t bytes, double flops) {
  Script script;
  const size_t sent = script.post({Exchange::Kind::send, Axis::ring, 1, 0, bytes, "send"});
  script.compute(flops, "forward");
  script.wait(sent);
  return script;
}

Script receiver_of(int64_t bytes) {
  Script script;
  script.wait(script.post({Exchange::Kind::receive, Axis::ring, 0, 0, bytes, "recv"}));
  return script;
}

double seconds_of(const Timetable& timetable, Span::Kind kind, int rank) {
  double seconds = 0;
  for (const Span& span : timetable.spans) {
    if (span.kind == kind && span.rank == rank) seconds += span.end - span.begin;
  }
  return seconds;
}

TEST(Timetable, AddsUpToThePrediction) {
  Timetable timetable;
  const Prediction p =
      predict({sender_of(4, 3), receiver_of(4)}, {2, 1}, unit_machine(), &timetable);
  EXPECT_DOUBLE_EQ(p.seconds, 5);
  EXPECT_DOUBLE_EQ(seconds_of(timetable, Span::Kind::compute, 0), 3);
  EXPECT_DOUBLE_EQ(seconds_of(timetable, Span::Kind::wait, 0), 2);
  EXPECT_DOUBLE_EQ(seconds_of(timetable, Span::Kind::wait, 1), 5);
  EXPECT_DOUBLE_EQ(seconds_of(timetable, Span::Kind::transfer, 1), 5);
  EXPECT_DOUBLE_EQ(seconds_of(timetable, Span::Kind::transfer, 0), 0);
}

TEST(Timetable, SaysWhoseDataCameWhere) {
  Timetable timetable;
  predict({sender_of(4, 3), receiver_of(4)}, {2, 1}, unit_machine(), &timetable);
  ASSERT_EQ(timetable.meetings.size(), 1u);
  EXPECT_EQ(timetable.meetings[0].from_rank, 0);
  EXPECT_EQ(timetable.meetings[0].to_rank, 1);
}

TEST(Timetable, OfACollectiveJoinsEveryPair) {
  Script script;
  script.wait(script.post({Exchange::Kind::collective, Axis::ring, 0, 0, 4, "allgather"}));
  Timetable timetable;
  predict({script, script, script}, {3, 1}, unit_machine(), &timetable);
  EXPECT_EQ(timetable.meetings.size(), 6u);
  EXPECT_TRUE(std::none_of(timetable.meetings.begin(), timetable.meetings.end(),
                           [](const Meeting& m) { return m.from_rank == m.to_rank; }));
}

}  // namespace
}  // namespace attncheck::scale
