#include "harness/timeline/critical_path.h"

#include <gtest/gtest.h>

#include "harness/timeline/predicted.h"
#include "problem/case_text.h"

namespace attncheck::timeline {
namespace {

using scale::Axis;
using scale::Script;
using Kind = Span::Kind;

scale::Machine unit_machine() {
  const scale::Link link{"unit", 1, 1};  // a second, and a byte a second
  return {link, link, 8, 1};
}

size_t post_send(Script& script, int to) {
  return script.post({scale::Exchange::Kind::send, Axis::ring, to, 0, 1, "send"});
}

size_t post_receive(Script& script, int from) {
  return script.post({scale::Exchange::Kind::receive, Axis::ring, from, 0, 1, "recv"});
}

std::vector<Span> path_of(const std::vector<Script>& scripts) {
  Case c = parse_case("impl=ring mesh=1x1 q=1 d=1");
  c.mesh.ring = static_cast<int>(scripts.size());
  return critical_path(predicted(c, scripts, unit_machine()));
}

// A path is one piece: from 0 on, each stretch begins where the one before it ends.
void expect_one_piece(const std::vector<Span>& path, double end) {
  double now = 0;
  for (const Span& span : path) {
    EXPECT_DOUBLE_EQ(span.begin, now);
    now = span.end;
  }
  EXPECT_DOUBLE_EQ(now, end);
}

TEST(CriticalPath, OfOneRankIsAllItComputes) {
  Script script;
  script.compute(3, "forward");
  script.compute(4, "backward");
  const std::vector<Span> path = path_of({script});
  expect_one_piece(path, 7);
  ASSERT_EQ(path.size(), 2u);
  EXPECT_EQ(path[0].pass, "forward");
  EXPECT_EQ(path[1].pass, "backward");
}

TEST(CriticalPath, GoesToTheRankThatPostedLast) {
  Script late, early;
  late.compute(5, "forward");
  late.wait(post_send(late, 1));
  early.wait(post_receive(early, 0));
  early.compute(2, "backward");
  const std::vector<Span> path = path_of({late, early});
  expect_one_piece(path, 9);  // 5, two for the message, 2
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path[0].rank, 0);
  EXPECT_EQ(path[0].kind, Kind::compute);
  EXPECT_EQ(path[1].kind, Kind::transfer);
  EXPECT_EQ(path[1].rank, 1);
  EXPECT_EQ(path[2].rank, 1);
}

TEST(CriticalPath, LeavesOutWhatWorkHid) {
  Script sender, receiver;
  sender.wait(post_send(sender, 1));
  const size_t received = post_receive(receiver, 0);
  receiver.compute(10, "forward");
  receiver.wait(received);
  const std::vector<Span> path = path_of({sender, receiver});
  expect_one_piece(path, 10);
  ASSERT_EQ(path.size(), 1u);
  EXPECT_EQ(path[0].kind, Kind::compute);
}

TEST(CriticalPath, PassesThroughRankAfterRankOfAChain) {
  std::vector<Script> scripts(4);
  for (int rank = 0; rank < 4; ++rank) {
    if (rank > 0) scripts[rank].wait(post_receive(scripts[rank], rank - 1));
    scripts[rank].compute(1, "forward");
    if (rank < 3) post_send(scripts[rank], rank + 1);
  }
  const std::vector<Span> path = path_of(scripts);
  expect_one_piece(path, 4 * 1 + 3 * 2);
  std::vector<int> computed;
  for (const Span& span : path) {
    if (span.kind == Kind::compute) computed.push_back(span.rank);
  }
  EXPECT_EQ(computed, (std::vector<int>{0, 1, 2, 3}));
}

TEST(CriticalPath, OfNothingIsEmpty) {
  EXPECT_TRUE(path_of({Script{}}).empty());
}

}  // namespace
}  // namespace attncheck::timeline
