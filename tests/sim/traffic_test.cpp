#include <map>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

// "from 1 by send: 8 bytes in 1 messages", of one rank.
Lines received(const World& world, int rank) {
  Lines lines;
  for (const Traffic& one : world.trace()[rank].received) {
    lines.push_back("from " + std::to_string(one.peer) + " by " + one.operation + ": " +
                    std::to_string(one.bytes) + " bytes in " + std::to_string(one.messages) +
                    " messages");
  }
  return lines;
}

Lines received_by(int rank, int size, const Work& work) {
  World world(size);
  expect_no_errors(world.run(work));
  return received(world, rank);
}

TEST(Traffic, OfAnAllgatherIsThePeersTensor) {
  const auto work = [](RankContext& context) {
    all_gather(context.group({2, 0, 1}), zeros(3, at::kFloat));
  };
  EXPECT_EQ(received_by(1, 3, work), (Lines{"from 0 by _allgather_base: 12 bytes in 1 messages",
                                            "from 2 by _allgather_base: 12 bytes in 1 messages"}));
}

TEST(Traffic, OfAnUnevenAlltoallIsThePeersChunk) {
  const auto work = [](RankContext& context) {
    const int me = context.rank();
    at::Tensor input = zeros(3), output = zeros(2 * me + 2);
    std::vector<int64_t> in{1, 2}, out{me + 1, me + 1};  // rank 0 gets 1 row of each, rank 1 two
    context.group({0, 1})->alltoall_base(output, input, out, in)->wait();
  };
  EXPECT_EQ(received_by(0, 2, work), Lines{"from 1 by alltoall_base: 8 bytes in 1 messages"});
  EXPECT_EQ(received_by(1, 2, work), Lines{"from 0 by alltoall_base: 16 bytes in 1 messages"});
}

TEST(Traffic, OfAReductionIsWhatIsReduced) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    at::Tensor input = zeros(6), output = zeros(3);
    all_reduce(group, zeros(5));
    group->_reduce_scatter_base(output, input)->wait();
  };
  EXPECT_EQ(received_by(0, 2, work),
            (Lines{"from 1 by _reduce_scatter_base: 24 bytes in 1 messages",
                   "from 1 by allreduce: 40 bytes in 1 messages"}));
}

TEST(Traffic, OfARootGoesOneWay) {
  const auto broadcast = [](RankContext& context) {
    Tensors tensors{zeros(2)};
    c10d::BroadcastOptions options;
    options.rootRank = 1;
    context.group({0, 1})->broadcast(tensors, options)->wait();
  };
  EXPECT_EQ(received_by(0, 2, broadcast), Lines{"from 1 by broadcast: 16 bytes in 1 messages"});
  EXPECT_EQ(received_by(1, 2, broadcast), Lines{});
  const auto reduce = [](RankContext& context) {
    Tensors tensors{zeros(2)};
    c10d::ReduceOptions options;
    options.rootRank = 1;
    context.group({0, 1})->reduce(tensors, options)->wait();
  };
  EXPECT_EQ(received_by(0, 2, reduce), Lines{});
  EXPECT_EQ(received_by(1, 2, reduce), Lines{"from 0 by reduce: 16 bytes in 1 messages"});
}

TEST(Traffic, OfMessagesAddsUpByPeerAndIsCountedWhereTheyArrive) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1, 2});
    const Group other = context.rank() == 1 ? group : context.group({0, 2});
    if (context.rank() == 0) {
      receive(group, zeros(1), 2);
      receive(group, zeros(2), 1);
      receive(other, zeros(3), 1);  // its member 1 is rank 2
    }
    if (context.rank() == 1) send(group, zeros(2), 0);
    if (context.rank() == 2) send(group, zeros(1), 0);
    if (context.rank() == 2) send(other, zeros(3), 0);
  };
  EXPECT_EQ(received_by(0, 3, work), (Lines{"from 1 by send: 16 bytes in 1 messages",
                                            "from 2 by send: 32 bytes in 2 messages"}));
  EXPECT_EQ(received_by(2, 3, work), Lines{});
}

TEST(Traffic, IsThatOfTheLastRunAlone) {
  World world(2);
  EXPECT_EQ(world.trace().size(), 2u);  // before any run
  const auto gather = [](RankContext& context) { all_gather(context.group({0, 1}), zeros(1)); };
  for (int run = 0; run < 2; ++run) {
    expect_no_errors(world.run(gather));
    EXPECT_EQ(received(world, 0), Lines{"from 1 by _allgather_base: 8 bytes in 1 messages"});
  }
  expect_no_errors(world.run([](RankContext&) {}));
  EXPECT_EQ(received(world, 0), Lines{});
}

TEST(Traffic, OfWhatIsNotDeliveredDoesNotCount) {
  const auto work = [](RankContext& context) {
    const Group group = context.group({0, 1});
    at::Tensor input = zeros(1), output = zeros(2);
    group->_allgather_base(output, input);
    group->barrier()->wait();
    all_gather(group, zeros(0));
  };
  EXPECT_EQ(received_by(0, 2, work), Lines{});
}

}  // namespace
}  // namespace attncheck::sim::testing
