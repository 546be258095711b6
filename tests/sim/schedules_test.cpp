#include <set>
#include <stdexcept>

#include <gmock/gmock.h>

#include "sim/random_schedules.h"
#include "sim/schedule_text.h"
#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> fifty(const std::string& prefix) {
  std::vector<std::string> texts;
  for (int seed = 0; seed < 50; ++seed) texts.push_back(prefix + std::to_string(seed));
  return texts;
}

std::vector<std::string> many_schedules() {
  std::vector<std::string> texts{"rr"};
  for (const auto& more : {fifty("random:"), fifty("pct:3:")}) {
    texts.insert(texts.end(), more.begin(), more.end());
  }
  return texts;
}

// A ring on rows and all-to-alls on columns of a 2x2 mesh, with everything in flight at once.
at::Tensor mesh_program(RankContext& context) {
  const int rank = context.rank(), row = rank / 2, column = rank % 2;
  const Group rows = context.group({2 * row, 2 * row + 1});
  const Group columns = context.group({column, column + 2});
  at::Tensor held = tagged(rank, 4).div_(3), mixed = zeros(4), whole = zeros(8);
  std::vector<int64_t> none;
  for (int step = 0; step < 3; ++step) {
    Tensors given{held}, taken{zeros(4)};
    const auto received = rows->recv(taken, 1 - column, step);
    const auto sent = rows->send(given, 1 - column, step);
    const auto swapped = columns->alltoall_base(mixed, held, none, none);
    swapped->wait();
    const auto gathered = rows->_allgather_base(whole, mixed);
    while (!received->isCompleted()) {
    }
    gathered->wait();
    sent->wait();
    held = taken[0] + whole.slice(0, 2, 6).sin();
  }
  return all_reduce(context.group(everyone(4)), held);
}

std::vector<at::Tensor> results(World& world, const std::string& schedule) {
  std::vector<at::Tensor> all(world.size());
  world.set_schedule(make_schedule(schedule));
  expect_no_errors(world.run(
      [&](RankContext& context) { all[context.rank()] = mesh_program(context); }, {.watch = true}));
  return all;
}

TEST(Schedules, ChangeNoResultAndFindNothingInARightProgram) {
  World world(4);
  const std::vector<at::Tensor> expected = results(world, "");
  for (const std::string& schedule : many_schedules()) {
    const std::vector<at::Tensor> got = results(world, schedule);
    for (int rank = 0; rank < 4; ++rank) ASSERT_TRUE(same(got[rank], expected[rank])) << schedule;
    ASSERT_EQ(findings(world), Lines{}) << schedule;
  }
}

// The order in which ranks pass the points of a program.
std::vector<int> order_under(World& world, const std::string& schedule) {
  std::vector<int> order;
  world.set_schedule(make_schedule(schedule));
  expect_no_errors(world.run([&](RankContext& context) {
    const Group group = context.group(everyone(context.size()));
    for (int i = 0; i < 3; ++i) {
      order.push_back(context.rank());
      all_reduce(group, zeros(1));
    }
  }));
  return order;
}

TEST(Schedules, OfOneTextGiveOneOrder) {
  World world(4), other(4);
  for (const std::string& schedule : many_schedules()) {
    const std::vector<int> order = order_under(world, schedule);
    EXPECT_EQ(order_under(world, schedule), order) << schedule;
    EXPECT_EQ(order_under(other, schedule), order) << schedule;
  }
}

TEST(Schedules, OfManySeedsGiveManyOrders) {
  World world(4);
  for (const std::string prefix : {"random:", "pct:3:"}) {
    std::set<std::vector<int>> orders;
    for (const std::string& schedule : fifty(prefix)) orders.insert(order_under(world, schedule));
    EXPECT_GT(orders.size(), 20u) << prefix;
  }
}

// Two ranks each post to one slot and then look at it; the fault shows when one comes between.
TEST(Schedules, ThatPreemptFindWhatRoundRobinCannot) {
  World world(2);
  const auto seen = [&](const std::string& schedule) {
    int slot = -1;
    bool disturbed = false;
    world.set_schedule(make_schedule(schedule));
    expect_no_errors(world.run([&](RankContext& context) {
      slot = context.rank();
      const auto work = context.group({0, 1})->barrier();
      disturbed = disturbed || slot != context.rank();
      work->wait();
    }));
    return disturbed;
  };
  const auto some = [&](const std::string& prefix) {
    int found = 0;
    for (const std::string& schedule : fifty(prefix)) found += seen(schedule);
    return found;
  };
  EXPECT_FALSE(seen("rr"));
  EXPECT_GT(some("random:"), 5);
  EXPECT_EQ(some("pct:1:"), 0);  // without a change of priorities nobody comes between
  EXPECT_GT(some("pct:20:"), 0);
}

TEST(Schedules, AreRefusedWithWhatIsExpected) {
  for (const std::string text :
       {"random", "random:", "random:-1", "random:1x", "random:+1", "random: 1",
        "random:18446744073709551616", "pct:3", "pct:0:1", "pct:-1:1", "pct:65:1", "pct::1",
        "pct:3:", "pct:3:1:", "pct:3:1 ", "rr:1", "RR", "pct"}) {
    try {
      make_schedule(text);
      ADD_FAILURE() << "'" << text << "' was taken";
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("schedule '" + text + "': expected rr, random:SEED or "));
    }
  }
  for (const std::string text :
       {"", "rr", "random:0", "random:18446744073709551615", "pct:1:0", "pct:64:7"}) {
    EXPECT_NE(make_schedule(text), nullptr);
  }
}

TEST(Schedules, AllowARankThatPolls) {
  World world(3);
  for (const std::string& schedule : many_schedules()) {
    world.set_schedule(make_schedule(schedule));
    expect_no_errors(world.run([](RankContext& context) {
      at::Tensor input = tagged(context.rank(), 1), output = zeros(3);
      const auto work = context.group(everyone(3))->_allgather_base(output, input);
      while (!work->isCompleted()) {
      }
      EXPECT_TRUE(same(output, list({0, 100, 200})));
    }));
  }
}

TEST(SplitMix64, GivesThePublishedNumbers) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(Pct, RunsTheHighestPriorityUntilItCannot) {
  PctSchedule schedule(1, 5);
  schedule.start_run(4);
  ReadySet ready(4);
  for (int rank = 0; rank < 4; ++rank) ready.insert(rank);
  std::set<int> picked;
  for (int i = 0; i < 4; ++i) {
    const int rank = schedule.pick(ready, 3);
    EXPECT_EQ(schedule.pick(ready, rank), rank);
    picked.insert(rank);
    ready.erase(rank);
  }
  EXPECT_EQ(picked.size(), 4u);
}

TEST(Pct, DropsTheRunningRankAsOftenAsItsDepthSays) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    PctSchedule schedule(4, seed);
    schedule.start_run(2);
    ReadySet ready(2);
    ready.insert(0);
    ready.insert(1);
    int changes = 0, last = schedule.pick(ready, 1);
    for (int step = 0; step < 5000; ++step) {
      const int next = schedule.pick(ready, last);
      changes += next != last;
      last = next;
    }
    EXPECT_EQ(changes, 3) << seed;
  }
}

}  // namespace
}  // namespace attncheck::sim::testing
