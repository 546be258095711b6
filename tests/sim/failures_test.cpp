#include <chrono>
#include <stdexcept>

#include <gmock/gmock.h>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Errors run_errors(int size, const Work& work, const RunOptions& options = {}) {
  return World(size).run(work, options);
}

TEST(Deadlock, IsReportedOnEveryRankWithWhatEachWaitsFor) {
  World world(3);
  const Errors errors = world.run([](RankContext& context) {
    const Group all = context.group({0, 1, 2});
    if (context.rank() == 0) all_reduce(all, list({1}));
    if (context.rank() == 0) all_gather(all, list({1}));
    if (context.rank() == 1) all_reduce(all, list({1}));
    if (context.rank() == 1) receive(all, zeros(1), 2, /*tag=*/7);
    if (context.rank() == 2) all_reduce(all, list({1}));
    if (context.rank() == 2) all_gather(context.group({1, 2}), list({1}));
  });
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(text(errors, rank),
              "deadlock: rank 0 waits for _allgather_base #2 of group [0..2] (not posted by 1,2); "
              "rank 1 waits for recv #1 from 2 tag 7 of group [0..2]; "
              "rank 2 waits for _allgather_base #1 of group [1,2] (not posted by 1)");
  }
  expect_usable(world);
}

TEST(Deadlock, Of64RanksIsFoundAtOnce) {
  constexpr int kSize = 64;
  World world(kSize);
  const auto start = std::chrono::steady_clock::now();
  const Errors errors = world.run([](RankContext& context) {
    receive(context.group(everyone(kSize)), zeros(1), (context.rank() + 1) % kSize);
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  for (int rank = 0; rank < kSize; ++rank) {
    EXPECT_THAT(
        text(errors, rank),
        AllOf(StartsWith("deadlock: rank 0 waits for recv #1 from 1 tag 0 of group [0..63]"),
              HasSubstr("rank 63 waits for recv #1 from 0 tag 0")));
  }
  expect_usable(world);
}

TEST(Deadlock, OfPollingRanksIsFoundToo) {
  const Errors errors = run_errors(2, [](RankContext& context) {
    Tensors tensors{zeros(1)};
    const auto work = context.group({0, 1})->recv(tensors, 1 - context.rank(), 0);
    while (!work->isCompleted()) {
    }
  });
  EXPECT_TRUE(errors[0] && errors[1]);
  EXPECT_THAT(text(errors, 0) + text(errors, 1), HasSubstr("polls for recv #1 from "));
}

TEST(Ended, RanksThatWaitForOneThatReturnedAreToldItsName) {
  World world(3);
  const Errors errors = world.run([](RankContext& context) {
    if (context.rank() != 1) all_gather(context.group({0, 1, 2}), list({1}));
  });
  EXPECT_FALSE(errors[1]);
  EXPECT_EQ(text(errors, 0),
            "rank 0 waits for _allgather_base #1 of group [0..2] (not posted by 1,2), but rank 1 "
            "ended (it returned)");
  EXPECT_EQ(text(errors, 2),
            "rank 2 waits for _allgather_base #1 of group [0..2] (not posted by 1), but rank 1 "
            "ended (it returned)");
  expect_usable(world);
}

TEST(Ended, TheFirstFailureIsQuotedToThoseItTakesAlong) {
  World world(4);
  const Errors errors = world.run([](RankContext& context) {
    if (context.rank() == 2) throw std::runtime_error("no such kernel");
    const Group group = context.group(everyone(4));
    if (context.rank() == 3) receive(group, zeros(1), 2);
    if (context.rank() == 0) receive(group, zeros(1), 3);
  });
  EXPECT_EQ(text(errors, 2), "no such kernel");
  EXPECT_FALSE(errors[1]);
  for (int rank : {0, 3}) {
    EXPECT_THAT(text(errors, rank),
                AllOf(HasSubstr("ended (it threw)"),
                      HasSubstr("the first failure of this run is rank 2: no such kernel")));
  }
  expect_usable(world);
}

TEST(Ended, WhatWasPostedBeforeTheEndStillArrives) {
  const Errors errors = run_errors(
      2,
      [](RankContext& context) {
        const Group group = context.group({0, 1});
        at::Tensor input = tagged(context.rank(), 1), output = zeros(2);
        const auto work = group->_allgather_base(output, input);
        if (context.rank() == 0) send(group, list({3}), 1);
        if (context.rank() == 0) return;
        work->wait();
        EXPECT_TRUE(same(output, list({0, 100})));
        EXPECT_TRUE(same(receive(group, zeros(1), 0), list({3})));
      },
      kBuffered);
  expect_no_errors(errors);
}

TEST(Errors, TextsComeBackByRank) {
  World world(5);
  const Errors errors = world.run([](RankContext& context) {
    if (context.rank() == 0) TORCH_CHECK(false, "checked ", 1, " and ", 2);
    if (context.rank() == 1) throw std::invalid_argument("standard");
    if (context.rank() == 2) throw 3;
    if (context.rank() == 3) tagged(0, 3).reshape({2, 2});
  });
  EXPECT_EQ(text(errors, 0), "checked 1 and 2");
  EXPECT_EQ(text(errors, 1), "standard");
  EXPECT_EQ(text(errors, 2), "an exception that is no std::exception");
  EXPECT_THAT(text(errors, 3), AllOf(HasSubstr("shape '[2, 2]' is invalid"), Not(HasSubstr("#0"))));
  EXPECT_FALSE(errors[4]);
  expect_usable(world);
}

TEST(Failures, MessagesOfAFailedRunDoNotReachTheNext) {
  World world(2);
  const Errors errors = world.run(
      [](RankContext& context) {
        const Group group = context.group({0, 1});
        at::Tensor input = list({9}), output = zeros(2);
        if (context.rank() == 0) send(group, list({9}), 1);
        if (context.rank() == 0) group->_allgather_base(output, input);
        throw std::runtime_error("stop");
      },
      kBuffered);
  EXPECT_EQ(text(errors, 0), "stop");
  expect_usable(world);
}

TEST(Failures, AfterACaughtErrorTheRankGoesOn) {
  World world(2);
  expect_no_errors(world.run([](RankContext& context) {
    const Group group = context.group({0, 1});
    EXPECT_THROW(receive(group, zeros(1), 1 - context.rank()), c10::DistBackendError);
    EXPECT_TRUE(same(all_reduce(group, list({1})), list({2})));
  }));
}

std::string refusal(const std::function<void(const Group&)>& call) {
  return text(run_errors(2, [&](RankContext& context) { call(context.group({0, 1})); }), 0);
}

TEST(Refusals, SayWhatIsRight) {
  std::vector<int64_t> none, short_splits{1}, wrong_splits{1, 1};
  at::Tensor three = zeros(3), four = zeros(4), transposed = zeros(4).reshape({2, 2}).t();
  EXPECT_THAT(refusal([&](const Group& group) { group->alltoall_base(three, three, none, none); }),
              HasSubstr("alltoall_base cannot share 3 rows equally among 2 ranks"));
  EXPECT_THAT(refusal([&](const Group& group) {
                group->alltoall_base(three, three, short_splits, short_splits);
              }),
              HasSubstr("1 split sizes for 2 ranks"));
  EXPECT_THAT(refusal([&](const Group& group) {
                group->alltoall_base(three, three, wrong_splits, wrong_splits);
              }),
              HasSubstr("add up to 2 for a tensor of 3 rows"));
  EXPECT_THAT(refusal([&](const Group& group) { group->_allgather_base(three, four); }),
              HasSubstr("3 elements for the whole group and 4 for one of its 2 ranks"));
  EXPECT_THAT(refusal([&](const Group& group) { all_gather(group, transposed); }),
              HasSubstr("contiguous tensors, not sizes [2, 2] with strides [1, 2]"));
  EXPECT_THAT(refusal([&](const Group& group) { all_reduce(group, three, c10d::ReduceOp::BOR); }),
              HasSubstr("allreduce does not support reduce operation number 6"));
  EXPECT_THAT(refusal([&](const Group& group) {
                all_reduce(group, zeros(1, at::kInt), c10d::ReduceOp::AVG);
              }),
              HasSubstr("allreduce with AVG of Int is not supported"));
  EXPECT_THAT(refusal([&](const Group& group) { send(group, three, group->getRank()); }),
              HasSubstr("send between rank 0 of the group and itself"));
  EXPECT_THAT(refusal([&](const Group& group) { send(group, three, 2); }),
              HasSubstr("rank 2 is not in a group of 2 ranks"));
  EXPECT_THAT(refusal([&](const Group& group) {
                Tensors tensors{three};
                group->recvAnysource(tensors, 0);
              }),
              HasSubstr("sim does not support recvAnysource"));
}

}  // namespace
}  // namespace attncheck::sim::testing
