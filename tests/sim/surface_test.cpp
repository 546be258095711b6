#include <gmock/gmock.h>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

using ::testing::HasSubstr;

TEST(Surface, ReduceGivesTheRootTheSumAndLeavesTheOthers) {
  run_ranks(3, [](RankContext& context) {
    const Group group = context.group({2, 0, 1});
    Tensors tensors{list({1.0 + context.rank()})};
    c10d::ReduceOptions options;
    options.rootRank = 1;  // rank 0
    group->reduce(tensors, options)->wait();
    EXPECT_TRUE(same(tensors[0], list({context.rank() == 0 ? 6 : 1.0 + context.rank()})));
  });
}

TEST(Surface, GatherGivesTheRootAllInGroupOrder) {
  run_ranks(3, [](RankContext& context) {
    const Group group = context.group({2, 0, 1});
    c10d::GatherOptions options;
    options.rootRank = 1;
    std::vector<Tensors> outputs;
    Tensors inputs{tagged(context.rank(), context.rank() + 1)};
    if (context.rank() == 0) outputs = {{zeros(3), zeros(1), zeros(2)}};
    group->gather(outputs, inputs, options)->wait();
    if (context.rank() != 0) return;
    EXPECT_TRUE(same(outputs[0][0], tagged(2, 3)));
    EXPECT_TRUE(same(outputs[0][1], tagged(0, 1)));
    EXPECT_TRUE(same(outputs[0][2], tagged(1, 2)));
  });
}

TEST(Surface, ScatterGivesEachItsTensorOfTheRoot) {
  run_ranks(3, [](RankContext& context) {
    const Group group = context.group(everyone(3));
    c10d::ScatterOptions options;
    options.rootRank = 2;
    Tensors outputs{zeros(context.rank() + 1)};
    std::vector<Tensors> inputs;
    if (context.rank() == 2) inputs = {{tagged(7, 1), tagged(8, 2), tagged(9, 3)}};
    group->scatter(outputs, inputs, options)->wait();
    EXPECT_TRUE(same(outputs[0], tagged(7 + context.rank(), context.rank() + 1)));
  });
}

TEST(Surface, CoalescedFormsAreOneExchangeATensor) {
  World world(2);
  expect_no_errors(world.run([](RankContext& context) {
    const Group group = context.group({0, 1});
    const int me = context.rank();
    Tensors sums{list({1}), list({2, 3})};
    group->allreduce_coalesced(sums)->wait();
    EXPECT_TRUE(same(sums[0], list({2})));
    EXPECT_TRUE(same(sums[1], list({4, 6})));
    Tensors inputs{tagged(me, 1), tagged(me, 2, at::kLong)};
    Tensors outputs{zeros(2), zeros(4, at::kLong)};
    group->allgather_into_tensor_coalesced(outputs, inputs)->wait();
    EXPECT_TRUE(same(outputs[0], list({0, 100})));
    EXPECT_TRUE(same(outputs[1], list({0, 1, 100, 101}, at::kLong)));
    Tensors parts{zeros(1), zeros(2, at::kLong)};
    group->reduce_scatter_tensor_coalesced(parts, outputs)->wait();
    EXPECT_TRUE(same(parts[0], list({200.0 * me})));
    EXPECT_TRUE(same(parts[1], list({200.0 * me, 200.0 * me + 2}, at::kLong)));
  }));
  EXPECT_EQ(findings(world), Lines{});
  EXPECT_EQ(world.trace()[0].received.size(), 3u);
}

TEST(Surface, MismatchOfRootsNamesBothSides) {
  const Errors errors = World(2).run([](RankContext& context) {
    Tensors tensors{zeros(1)};
    c10d::ReduceOptions options;
    options.rootRank = context.rank();
    context.group({0, 1})->reduce(tensors, options)->wait();
  });
  EXPECT_EQ(text(errors, 0),
            "mismatch in collective #1 of group [0,1]: rank 0 calls reduce to root 0, rank 1 calls "
            "reduce to root 1");
}

TEST(Surface, MismatchOfAGatheredSizeNamesBothSides) {
  const Errors errors = World(2).run([](RankContext& context) {
    std::vector<Tensors> outputs;
    Tensors inputs{zeros(1 + context.rank())};
    if (context.rank() == 0) outputs = {{zeros(1), zeros(1)}};
    context.group({0, 1})->gather(outputs, inputs)->wait();
  });
  EXPECT_EQ(text(errors, 1),
            "mismatch in collective #1 of group [0,1]: gather: rank 1 sends 2 elements to rank 0, "
            "which expects 1");
}

TEST(Surface, RefusesWhatItCannot) {
  const Errors errors = World(2).run([](RankContext& context) {
    const Group group = context.group({0, 1});
    Tensors one{zeros(1)};
    std::vector<Tensors> lists{{zeros(1), zeros(1)}};
    c10d::ScatterOptions options;
    options.rootRank = 0;
    if (context.rank() == 0) group->recvAnysource(one, 0);
    if (context.rank() == 1) group->scatter(one, lists, options);
  });
  EXPECT_THAT(text(errors, 0), HasSubstr("does not support recvAnysource"));
  EXPECT_THAT(text(errors, 1), HasSubstr("scatter takes inputs at its root alone"));
}

}  // namespace
}  // namespace attncheck::sim::testing
