#include <stdexcept>

#include <ATen/ops/cat.h>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

Lines findings_of(int size, const Work& work) {
  World world(size);
  world.run(work);
  return findings(world);
}

// One of each kind of exchange, on every rank, as it should be.
void right_program(RankContext& context) {
  const int size = context.size(), me = context.rank();
  const Group group = context.group(everyone(size));
  all_gather(group, list({double(me)}));
  all_reduce(group, list({1}));
  Tensors outputs{zeros(1)}, inputs{list({1})};
  auto received = group->recv(outputs, (me + 1) % size, 0);
  group->send(inputs, (me + size - 1) % size, 0)->wait();
  received->wait();
  at::Tensor whole = zeros(size);
  at::Tensor own = whole.slice(0, me, me + 1);
  group->_allgather_base(whole, own)->wait();       // in place
  group->_reduce_scatter_base(own, whole)->wait();  // in place
  group->barrier()->wait();
}

TEST(Findings, AreNoneInARightProgram) {
  EXPECT_EQ(findings_of(4, right_program), Lines{});
}

TEST(Findings, OfADroppedWorkNameItsOperation) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    at::Tensor input = zeros(1), output = zeros(2);
    group->_allgather_base(output, input)->wait();
    auto dropped = group->_allgather_base(output, input);
    if (context.rank() == 0) dropped->wait();
  };
  EXPECT_EQ(findings_of(2, work),
            Lines{"unwaited at 1 of _allgather_base #2 of group [0,1]: rank 1 drops "
                  "_allgather_base #2 of group [0,1] unwaited"});
}

TEST(Findings, OfADroppedWorkCoverSendsAndBarriers) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    Tensors tensors{zeros(1)};
    group->barrier();
    if (context.rank() == 0) group->send(tensors, 1, 3);
    if (context.rank() == 1) group->recv(tensors, 0, 3)->wait();
  };
  EXPECT_EQ(findings_of(2, work),
            (Lines{"unwaited at 0 of barrier #1 of group [0,1]: rank 0 drops barrier #1 of group "
                   "[0,1] unwaited",
                   "unwaited at 0 of send #1 to 1 tag 3 of group [0,1]: rank 0 drops send #1 to 1 "
                   "tag 3 of group [0,1] unwaited",
                   "unwaited at 1 of barrier #1 of group [0,1]: rank 1 drops barrier #1 of group "
                   "[0,1] unwaited"}));
}

TEST(Findings, OfAWorkThatOutlivesItsRankAreMadeAtTheEnd) {
  World world(2);
  c10::intrusive_ptr<c10d::Work> kept;
  expect_no_errors(world.run([&](RankContext& context) {
    auto work = context.group({0, 1})->barrier();
    context.rank() == 0 ? kept = work : work, void();
    if (context.rank() == 1) work->wait();
  }));
  const Lines expected{
      "unwaited at 0 of barrier #1 of group [0,1]: rank 0 ends with barrier #1 of group [0,1] "
      "unwaited"};
  EXPECT_EQ(findings(world), expected);
  kept.reset();
  EXPECT_EQ(findings(world), expected);
  expect_no_errors(world.run([](RankContext&) {}));
  EXPECT_EQ(findings(world), Lines{});
}

TEST(Findings, OfADroppedWorkAreNoneWhereAnExceptionDropsIt) {
  EXPECT_EQ(findings_of(2,
                        [](RankContext& context) {
                          auto work = context.group({0, 1})->barrier();
                          throw std::runtime_error("stop");
                        }),
            Lines{});
  EXPECT_EQ(findings_of(2,
                        [](RankContext& context) {
                          const Group group = context.group({0, 1});
                          group->barrier();
                          throw std::runtime_error("stop");
                        }),
            Lines{});
}

TEST(Findings, OfAFailedWaitAreNotThoseOfADroppedWork) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    EXPECT_THROW(all_reduce(group, zeros(1 + context.rank())), c10::DistBackendError);
  };
  const std::string text =
      "mismatch in collective #1 of group [0,1]: rank 0 calls allreduce of 1 elements, rank 1 "
      "calls allreduce of 2 elements";
  EXPECT_EQ(findings_of(2, work), (Lines{"mismatch at 0 of allreduce #1 of group [0,1]: " + text,
                                         "mismatch at 1 of allreduce #1 of group [0,1]: " + text}));
}

TEST(Findings, OfAMismatchAreAtItsTwoSidesOnce) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1, 2, 3});
    if (context.rank() < 3) all_reduce(group, zeros(1 + context.rank() / 2));
    if (context.rank() == 3) all_gather(group, zeros(1));
  };
  const std::string text =
      "mismatch in collective #1 of group [0..3]: rank 0 calls allreduce of 1 elements, rank 2 "
      "calls allreduce of 2 elements";
  EXPECT_EQ(findings_of(4, work),
            (Lines{"mismatch at 0 of allreduce #1 of group [0..3]: " + text,
                   "mismatch at 2 of allreduce #1 of group [0..3]: " + text}));
}

// c10d compares numbers of elements: such an exchange ends, with elements in other places than
// meant.
TEST(Findings, OfOtherShapesWithAsManyElementsAreAMismatchThatGoesOn) {
  const auto shaped = [](RankContext& context) {
    const Group group = context.group({0, 1});
    all_reduce(group, context.rank() == 0 ? zeros(6).view({2, 3}) : zeros(6).view({3, 2}));
  };
  const std::string text =
      "mismatch in collective #1 of group [0,1]: rank 0 calls allreduce of a tensor of sizes "
      "[2, 3], rank 1 calls allreduce of a tensor of sizes [3, 2]";
  EXPECT_EQ(findings_of(2, shaped),
            (Lines{"mismatch at 0 of allreduce #1 of group [0,1]: " + text,
                   "mismatch at 1 of allreduce #1 of group [0,1]: " + text}));
}

TEST(Findings, OfShapesAreNoneWhereRowsAloneDiffer) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    all_reduce(group, zeros(6).view({2, 3}));
    all_gather(group, zeros(4).view({2, 2}));
  };
  EXPECT_EQ(findings_of(2, work), Lines{});
}

TEST(Findings, OfAMismatchNameTheOperationOfEachSide) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    if (context.rank() == 0) all_reduce(group, zeros(1));
    if (context.rank() == 1) all_gather(group, zeros(1));
  };
  const std::string text =
      "mismatch in collective #1 of group [0,1]: rank 0 calls allreduce, rank 1 calls "
      "_allgather_base";
  EXPECT_EQ(findings_of(2, work),
            (Lines{"mismatch at 0 of allreduce #1 of group [0,1]: " + text,
                   "mismatch at 1 of _allgather_base #1 of group [0,1]: " + text}));
}

TEST(Findings, OfAMismatchedMessageAreAtBothRanks) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    if (context.rank() == 0) send(group, zeros(1), 1, 2);
    if (context.rank() == 1) receive(group, zeros(2), 0, 2);
  };
  const std::string text =
      "mismatch in message #1 of group [0,1], tag 2: rank 0 sends 1 elements of Double, rank 1 "
      "expects 2 elements of Double";
  EXPECT_EQ(findings_of(2, work),
            (Lines{"mismatch at 0 of send #1 to 1 tag 2 of group [0,1]: " + text,
                   "mismatch at 1 of recv #1 from 0 tag 2 of group [0,1]: " + text}));
}

TEST(Findings, OfAnAliasedExchangeNameIt) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    at::Tensor both = zeros(3), input = both.slice(0, 0, 2), output = both.slice(0, 1, 3);
    std::vector<int64_t> none;
    group->alltoall_base(input, input, none, none)->wait();
    group->alltoall_base(output, input, none, none)->wait();
  };
  const auto line = [](int rank, int number) {
    const std::string what = "alltoall_base #" + std::to_string(number) + " of group [0,1]";
    return "aliased at " + std::to_string(rank) + " of " + what + ": rank " + std::to_string(rank) +
           " posts " + what + " with an output that overlaps its input";
  };
  EXPECT_EQ(findings_of(2, work), (Lines{line(0, 1), line(0, 2), line(1, 1), line(1, 2)}));
}

TEST(Findings, OfAnAliasedAllgatherSpareItsOwnSlotAlone) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    at::Tensor whole = zeros(2), first = whole.slice(0, 0, 1);
    group->_allgather_base(whole, first)->wait();  // the own slot of rank 0
    std::vector<Tensors> outputs{{whole.slice(0, 0, 1), whole.slice(0, 1, 2)}};
    Tensors inputs{whole.slice(0, 1, 2)};
    group->allgather(outputs, inputs)->wait();  // that of rank 1
    group->_reduce_scatter_base(first, whole)->wait();
  };
  const Lines seen = findings_of(2, work);
  ASSERT_EQ(seen.size(), 3u) << ::testing::PrintToString(seen);
  EXPECT_TRUE(seen[0].starts_with("aliased at 0 of allgather #2 of group [0,1]")) << seen[0];
  EXPECT_TRUE(seen[1].starts_with("aliased at 1 of _allgather_base #1 of group [0,1]")) << seen[1];
  EXPECT_TRUE(seen[2].starts_with("aliased at 1 of _reduce_scatter_base #3 of")) << seen[2];
}

TEST(Findings, OfASkippedCollectiveNameWhoPostedAndWhoDidNot) {
  const auto work = [](RankContext& context) {
    const Group group = context.group(everyone(4));
    all_reduce(group, zeros(1));
    if (context.rank() % 2 == 0) all_gather(group, zeros(1));
  };
  EXPECT_EQ(findings_of(4, work),
            Lines{"unmatched at 0 of _allgather_base #2 of group [0..3]: ranks 0,2 post "
                  "_allgather_base #2 of group [0..3]; ranks 1,3 never post it"});
}

TEST(Findings, OfADeadlockAreWhatIsMissingThen) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1, 2});
    if (context.rank() == 0) all_gather(group, zeros(1));
    if (context.rank() != 0) receive(group, zeros(1), 0, context.rank());
  };
  EXPECT_EQ(findings_of(3, work),
            (Lines{"unmatched at 0 of _allgather_base #1 of group [0..2]: rank 0 posts "
                   "_allgather_base #1 of group [0..2]; ranks 1,2 never post it",
                   "unmatched at 1 of recv #1 from 0 tag 1 of group [0..2]: rank 1 expects message "
                   "#1 of group [0..2] (1 elements of Double) from rank 0 with tag 1; rank 0 never "
                   "posts that send",
                   "unmatched at 2 of recv #1 from 0 tag 2 of group [0..2]: rank 2 expects message "
                   "#1 of group [0..2] (1 elements of Double) from rank 0 with tag 2; rank 0 never "
                   "posts that send"}));
}

TEST(Findings, OfAMessageThatNobodyTakesNameTheRankThatShould) {
  World world(2);
  expect_no_errors(world.run(
      [](RankContext& context) {
        const Group group = context.group({0, 1});
        if (context.rank() == 0) send(group, zeros(2, at::kFloat), 1, 5);
      },
      {.send_buffer = 8}));
  EXPECT_EQ(findings(world),
            Lines{"unmatched at 0 of send #1 to 1 tag 5 of group [0,1]: rank 0 sends message #1 of "
                  "group [0,1] (2 elements of Float) to rank 1 with tag 5; rank 1 never posts that "
                  "receive"});
}

TEST(Findings, OfWhatIsMissingAreNoneWhereARankFailedByItself) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1, 2});
    if (context.rank() == 1) throw std::runtime_error("no such kernel");
    all_gather(group, zeros(1));
  };
  EXPECT_EQ(findings_of(3, work), Lines{});
}

TEST(Findings, OfABrokenLoopAreAtMostTwenty) {
  const auto work = [](RankContext& context) {
    for (int i = 0; i < 100; ++i) context.group({0, 1})->barrier();
  };
  EXPECT_EQ(findings_of(2, work).size(), 40u);
}

}  // namespace
}  // namespace attncheck::sim::testing
