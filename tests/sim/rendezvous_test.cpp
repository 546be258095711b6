#include <chrono>

#include <gmock/gmock.h>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Every rank sends, and waits, before it receives.
void send_first(RankContext& context) {
  const int size = context.size(), me = context.rank();
  const Group group = context.group(everyone(size));
  send(group, list({double(me), 0}), (me + 1) % size);
  const int previous = (me + size - 1) % size;
  EXPECT_TRUE(same(receive(group, zeros(2), previous), list({double(previous), 0})));
}

TEST(Rendezvous, OfARingThatSendsFirstIsADeadlockThatNamesEveryRank) {
  World world(3);
  const Errors errors = world.run(send_first);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(text(errors, rank),
              "deadlock: rank 0 waits for send #1 to 1 tag 0 of group [0..2] (its receive is not "
              "posted); rank 1 waits for send #1 to 2 tag 0 of group [0..2] (its receive is not "
              "posted); rank 2 waits for send #1 to 0 tag 0 of group [0..2] (its receive is not "
              "posted)");
  }
  const Lines seen = findings(world);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[2],
            "unmatched at 2 of send #1 to 0 tag 0 of group [0..2]: rank 2 sends message #1 of "
            "group [0..2] (2 elements of Double) to rank 0 with tag 0; rank 0 never posts that "
            "receive");
  expect_usable(world);
}

TEST(Rendezvous, HoldsForWhatTheBufferDoesNotTake) {
  World world(3);
  for (int64_t buffer : {16, 1000}) {
    expect_no_errors(world.run(send_first, {.send_buffer = buffer}));
    EXPECT_EQ(findings(world), Lines{});
  }
  EXPECT_THAT(text(world.run(send_first, {.send_buffer = 15}), 0), StartsWith("deadlock"));
}

TEST(Rendezvous, DeadlockOf64RanksIsFoundAtOnce) {
  World world(64);
  const auto start = std::chrono::steady_clock::now();
  const Errors errors = world.run(send_first);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_THAT(text(errors, 63), HasSubstr("rank 63 waits for send #1 to 0 tag 0"));
}

TEST(Rendezvous, IsMetByAReceiveThatIsPosted) {
  run_ranks(4, [](RankContext& context) {
    const Group group = context.group(everyone(4));
    Tensors taken{zeros(1)}, given{list({double(context.rank())})};
    const int next = (context.rank() + 1) % 4, previous = (context.rank() + 3) % 4;
    const auto sent = group->send(given, next, 0);
    const auto received = group->recv(taken, previous, 0);
    sent->wait();
    received->wait();
    EXPECT_TRUE(same(taken[0], list({double(previous)})));
  });
}

TEST(Rendezvous, HoldsTheSenderUntilTheReceiveIsPosted) {
  std::vector<int> order;
  run_ranks(2, [&](RankContext& context) {
    const Group group = context.group({0, 1});
    if (context.rank() == 0) send(group, zeros(1), 1);
    if (context.rank() == 1) group->barrier(), order.push_back(1), receive(group, zeros(1), 0);
    order.push_back(context.rank() == 0 ? 0 : 2);
  });
  EXPECT_EQ(order, (std::vector<int>{1, 2, 0}));
}

TEST(Rendezvous, WithARankThatEndedNamesIt) {
  const Errors errors = World(2).run([](RankContext& context) {
    if (context.rank() == 0) send(context.group({0, 1}), zeros(1), 1);
  });
  EXPECT_EQ(text(errors, 0),
            "rank 0 waits for send #1 to 1 tag 0 of group [0,1] (its receive is not posted), but "
            "rank 1 ended (it returned)");
}

TEST(Rendezvous, OfSidesThatDoNotFitFailsOnBoth) {
  const Errors errors = World(2).run([](RankContext& context) {
    const Group group = context.group({0, 1});
    if (context.rank() == 0) send(group, zeros(1), 1);
    if (context.rank() == 1) receive(group, zeros(2), 0);
  });
  EXPECT_THAT(text(errors, 0), StartsWith("mismatch in message #1 of group [0,1]"));
  EXPECT_EQ(errors[0], errors[1]);
}

TEST(Batches, OfSendsAndReceivesAreOneWork) {
  World world(3);
  expect_no_errors(world.run([](RankContext& context) {
    const Group group = context.group(everyone(3));
    Tensors taken{zeros(1)}, given{list({double(context.rank())})};
    for (int i = 0; i < 2; ++i) {
      group->startCoalescing(c10::kCPU);
      group->send(given, (context.rank() + 1) % 3, 0);
      group->recv(taken, (context.rank() + 2) % 3, 0);
      group->endCoalescing(c10::kCPU)->wait();
      EXPECT_TRUE(same(taken[0], list({double((context.rank() + 2) % 3)})));
    }
  }));
  EXPECT_EQ(findings(world), Lines{});
}

TEST(Batches, ThatAreDroppedNameWhatIsInThem) {
  World world(2);
  expect_no_errors(world.run(
      [](RankContext& context) {
        const Group group = context.group({0, 1});
        Tensors tensors{zeros(1)};
        group->startCoalescing(c10::kCPU);
        if (context.rank() == 0) group->send(tensors, 1, 0);
        if (context.rank() == 1) group->recv(tensors, 0, 0);
        const auto work = group->endCoalescing(c10::kCPU);
        if (context.rank() == 0) work->wait();
      },
      kBuffered));
  EXPECT_EQ(findings(world),
            Lines{"unwaited at 1 of recv #1 from 0 tag 0 of group [0,1]: rank 1 drops recv #1 from "
                  "0 tag 0 of group [0,1] unwaited"});
}

TEST(Batches, AreRefusedOutOfOrder) {
  World world(1);
  const auto refusal = [&](int starts, int ends) {
    return text(world.run([&](RankContext& context) {
      for (int i = 0; i < starts; ++i) context.group({0})->startCoalescing(c10::kCPU);
      for (int i = 0; i < ends; ++i) context.group({0})->endCoalescing(c10::kCPU);
    }),
                0);
  };
  EXPECT_THAT(refusal(2, 0), HasSubstr("startCoalescing was called twice"));
  EXPECT_THAT(refusal(0, 1), HasSubstr("endCoalescing was called without startCoalescing"));
  EXPECT_EQ(refusal(1, 1), "rank 0 threw nothing");  // what the first left is gone
}

}  // namespace
}  // namespace attncheck::sim::testing
