#include "sim/world.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <set>
#include <stdexcept>
#include <thread>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "sim/affinity.h"
#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

using ::testing::HasSubstr;

TEST(World, RunsOneRankAtATimeEachOnItsOwnThread) {
  std::set<std::thread::id> threads;
  int inside = 0;
  World world(4);
  for (int run = 0; run < 3; ++run) {
    expect_no_errors(world.run([&](RankContext& context) {
      EXPECT_EQ(++inside, 1);
      threads.insert(std::this_thread::get_id());
      EXPECT_EQ(context.size(), 4);
      --inside;
      context.group(everyone(4))->barrier()->wait();
    }));
  }
  EXPECT_EQ(threads.size(), 4u);  // the same four in every run
}

TEST(World, ShowsWhoseTurnItIs) {
  std::atomic<int> turn{-1};
  RunOptions options;
  options.turn = &turn;
  World world(3);
  expect_no_errors(world.run(
      [&](RankContext& context) {
        EXPECT_EQ(turn, context.rank() + 1);
        context.group(everyone(3))->barrier()->wait();
        EXPECT_EQ(turn, context.rank() + 1);
      },
      options));
  EXPECT_EQ(turn, 0);
  expect_no_errors(world.run([&](RankContext&) { EXPECT_EQ(turn, 0); }));
}

TEST(World, TellsWhoWaitedInVainFromWhoFailed) {
  World world(2);
  world.run([](RankContext& context) {
    if (context.rank() == 0) context.group(everyone(2))->barrier()->wait();
    throw std::runtime_error("of its own");
  });
  EXPECT_TRUE(world.waited_in_vain(0));
  EXPECT_FALSE(world.waited_in_vain(1));
  expect_no_errors(world.run([](RankContext&) {}));
  EXPECT_FALSE(world.waited_in_vain(0));
}

TEST(World, RunsAThousandTimes) {
  World world(4);
  for (int run = 0; run < 1000; ++run) {
    expect_no_errors(world.run([&](RankContext& context) {
      const at::Tensor mine = list({double(run + context.rank())});
      const double expected = 4.0 * run + 6;
      ASSERT_TRUE(same(all_reduce(context.group(everyone(4)), mine), list({expected})));
    }));
  }
}

TEST(World, Of256RanksRuns) {
  constexpr int kSize = 256;
  World world(kSize);
  expect_no_errors(world.run([](RankContext& context) {
    const Group group = context.group(everyone(kSize));
    ASSERT_TRUE(same(all_reduce(group, list({1})), list({double(kSize)})));
    const at::Tensor gathered = all_gather(group, list({double(context.rank())}));
    ASSERT_TRUE(same(gathered, tagged(0, kSize)));
  }));
}

TEST(World, GivesItsCallerBackItsCoresAndThreads) {
  cpu_set_t before, after;
  const int threads = at::get_num_threads();
  sched_getaffinity(0, sizeof(before), &before);
  run_ranks(2, [](RankContext& context) {
    cpu_set_t inside;
    sched_getaffinity(0, sizeof(inside), &inside);
    EXPECT_EQ(CPU_COUNT(&inside), 1);
    EXPECT_EQ(at::get_num_threads(), 1);
  });
  sched_getaffinity(0, sizeof(after), &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_EQ(at::get_num_threads(), threads);
  std::thread([&] { EXPECT_EQ(at::get_num_threads(), threads); }).join();
}

TEST(World, RunsBesideAnother) {
  const auto lane = [](int core) {
    const CorePin pin(core);  // or the caller is moved twice a run
    World world(3, {.core = core});
    for (int run = 0; run < 100; ++run) {
      expect_no_errors(world.run([](RankContext& context) {
        const Group group = context.group(everyone(3));
        group->barrier()->wait();
        ASSERT_TRUE(same(all_reduce(group, list({1})), list({3})));
      }));
    }
  };
  std::thread other(lane, 1);
  lane(0);
  other.join();
}

TEST(World, AsksItsScheduleWhoRuns) {
  struct Backwards final : Schedule {
    int pick(const ReadySet& ready, int) override { return ready.nth(ready.count() - 1); }
  };
  World world(3);
  world.set_schedule(std::make_unique<Backwards>());
  std::vector<int> order;
  expect_no_errors(world.run([&](RankContext& context) {
    order.push_back(context.rank());
    all_reduce(context.group({0, 1, 2}), list({1}));
  }));
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
}

TEST(World, RefusesARunFromARank) {
  World world(1);
  const Errors errors = world.run([&](RankContext&) { world.run([](RankContext&) {}); });
  EXPECT_THAT(errors[0].value_or(""), HasSubstr("World::run was called from a simulated rank"));
}

TEST(Groups, OfOneListAndNameAreTheSameForTheWorldsLife) {
  World world(2);
  std::vector<c10d::ProcessGroup*> first(2), second(2);
  for (auto* seen : {&first, &second}) {
    expect_no_errors(world.run([&](RankContext& context) {
      (*seen)[context.rank()] = context.group({0, 1}).get();
      EXPECT_EQ(context.group({0, 1}).get(), (*seen)[context.rank()]);
      EXPECT_NE(context.group({1, 0}).get(), (*seen)[context.rank()]);
      EXPECT_NE(context.group({0, 1}, "ring").get(), (*seen)[context.rank()]);
    }));
  }
  EXPECT_EQ(first, second);
  EXPECT_NE(first[0], first[1]);
}

// A 2x2 mesh: the world, its rows and its columns in flight at the same time.
TEST(Groups, DoNotDisturbEachOther) {
  run_ranks(4, [](RankContext& context) {
    const int rank = context.rank(), row = rank / 2, column = rank % 2;
    const Group all = context.group(everyone(4)), same_list = context.group(everyone(4), "ring");
    const Group rows = context.group({2 * row, 2 * row + 1});
    const Group columns = context.group({column, column + 2});
    at::Tensor input = list({double(rank)});
    Tensors outputs{zeros(4), zeros(4), zeros(2), zeros(2)};
    std::vector<c10::intrusive_ptr<c10d::Work>> works(4);
    const std::vector<Group> groups{all, same_list, rows, columns};
    for (int i = 0; i < 4; ++i) {
      const int which = (i + rank) % 4;  // every rank posts in another order
      works[which] = groups[which]->_allgather_base(outputs[which], input);
    }
    for (const auto& work : works) work->wait();
    EXPECT_TRUE(same(outputs[0], list({0, 1, 2, 3})));
    EXPECT_TRUE(same(outputs[1], list({0, 1, 2, 3})));
    EXPECT_TRUE(same(outputs[2], list({2.0 * row, 2.0 * row + 1})));
    EXPECT_TRUE(same(outputs[3], list({double(column), column + 2.0})));
  });
}

TEST(Groups, RefuseWhatIsNoListOfMembers) {
  World world(2);
  const auto refusal = [&](const std::vector<int>& members) {
    return world.run([&](RankContext& context) { context.group(members); })[1].value_or("");
  };
  EXPECT_THAT(refusal({}), HasSubstr("no member"));
  EXPECT_THAT(refusal({0}), HasSubstr("rank 1 asks for group [0], of which it is no member"));
  EXPECT_THAT(refusal({1, 2}), HasSubstr("rank 2 of group [1,2] is not in a world of 2 ranks"));
  EXPECT_THAT(refusal({1, 1}), HasSubstr("group [1,1] names a rank twice"));
}

TEST(Groups, BelongToOneRank) {
  World world(2);
  Group of_rank_0;
  const Errors errors = world.run([&](RankContext& context) {
    if (context.rank() == 0) of_rank_0 = context.group({0, 1});
    all_reduce(of_rank_0, list({1}));
  });
  EXPECT_THAT(errors[1].value_or(""),
              HasSubstr("a process group of simulated rank 0 was used by rank 1"));
  EXPECT_THROW(all_reduce(of_rank_0, list({1})), c10::Error);  // no run, no rank
}

TEST(Groups, MayOutliveTheWorld) {
  Group kept;
  c10::intrusive_ptr<c10d::Work> work;
  Tensors tensors{zeros(1)};
  {
    World world(2);
    world.run([&](RankContext& context) {
      if (context.rank() == 0) kept = context.group({0, 1});
      if (context.rank() == 0) work = kept->recv(tensors, 1, 0);
    });
  }
  EXPECT_EQ(kept->getSize(), 2);
  EXPECT_THROW(work->wait(), c10::Error);
}

// y = sum over ranks of x; both directions communicate.
struct SumOverRanks : torch::autograd::Function<SumOverRanks> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const Group& group) {
    context->saved_data["group"] = group;
    return all_reduce(group, x);
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list grads) {
    const Group group = context->saved_data["group"].toCustomClass<c10d::ProcessGroup>();
    return {all_reduce(group, grads[0]), at::Tensor()};
  }
};

TEST(Autograd, BackwardCommunicates) {
  constexpr int kSize = 4;
  run_ranks(kSize, [](RankContext& context) {
    const at::Tensor x = list({1.0 + context.rank(), 2}).requires_grad_(true);
    at::Tensor y = SumOverRanks::apply(x, context.group(everyone(kSize)));
    y = SumOverRanks::apply(y * y, context.group(everyone(kSize), "second"));
    const at::Tensor cotangent = list({1.0 * context.rank(), 1});
    const auto grads = torch::autograd::grad({y}, {x}, {cotangent});
    // y = 4 s^2 with s = (10, 8); the cotangents add up to (6, 4), every rank adds 2 s times that.
    EXPECT_TRUE(same(grads[0], list({4 * 2 * 10 * 6.0, 4 * 2 * 8 * 4.0})));
  });
}

TEST(Autograd, ADeadlockInBackwardReachesTheCaller) {
  World world(2);
  const Errors errors = world.run([](RankContext& context) {
    const at::Tensor x = list({1}).requires_grad_(true);
    const at::Tensor y = SumOverRanks::apply(x, context.group({0, 1}));
    if (context.rank() == 0) torch::autograd::grad({y}, {x}, {list({1})});
    if (context.rank() == 1) receive(context.group({0, 1}), zeros(1), 0);
  });
  EXPECT_THAT(errors[0].value_or(""), HasSubstr("deadlock: rank 0 waits for allreduce #2"));
  EXPECT_THAT(errors[1].value_or(""), HasSubstr("rank 1 waits for recv #1 from 0"));
}

// A figure to look at, not a bound: what a run of four collectives costs on a 2x2 mesh.
TEST(Cost, OfAShortRunIsPrinted) {
  World world(4);
  const auto work = [](RankContext& context) {
    const int row = context.rank() / 2, column = context.rank() % 2;
    const Group rows = context.group({2 * row, 2 * row + 1});
    const Group columns = context.group({column, column + 2});
    at::Tensor input = zeros(64), output = zeros(128);
    for (int i = 0; i < 2; ++i) {
      rows->_allgather_base(output, input)->wait();
      columns->_allgather_base(output, input)->wait();
    }
  };
  constexpr int kRuns = 2000;
  for (int run = 0; run < 100; ++run) world.run(work);
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  for (int run = 0; run < kRuns; ++run) world.run(work);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  const double cpu = 1e6 * (std::clock() - cpu_start) / CLOCKS_PER_SEC;
  std::printf("2x2, 4 collectives: %.1f us a run, of which %.1f us of CPU\n", took.count() / kRuns,
              cpu / kRuns);
}

}  // namespace
}  // namespace attncheck::sim::testing
