#include <chrono>
#include <stdexcept>

#include <gmock/gmock.h>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

// Both ranks get the text, from wait, and the world goes on.
void expect_mismatch(const Work& work, const std::string& expected) {
  World world(2);
  const Errors errors = world.run(work);
  EXPECT_EQ(text(errors, 0), expected);
  EXPECT_EQ(text(errors, 1), expected);
  expect_usable(world);
}

TEST(Mismatch, OfTheOperationNamesBothSides) {
  expect_mismatch(
      [](RankContext& context) {
        const Group group = context.group({0, 1});
        if (context.rank() == 0) all_gather(group, list({1}));
        if (context.rank() == 1) all_reduce(group, list({1}));
      },
      "mismatch in collective #1 of group [0,1]: rank 0 calls _allgather_base, rank 1 calls "
      "allreduce");
}

TEST(Mismatch, OfTheSizeNamesBothSides) {
  expect_mismatch(
      [](RankContext& context) {
        all_reduce(context.group({0, 1}), zeros(3 + context.rank()));
      },
      "mismatch in collective #1 of group [0,1]: rank 0 calls allreduce of 3 elements, rank 1 "
      "calls allreduce of 4 elements");
}

TEST(Mismatch, OfTheDtypeNamesBothSides) {
  expect_mismatch(
      [](RankContext& context) {
        all_gather(context.group({0, 1}), zeros(1, context.rank() == 0 ? at::kFloat : at::kInt));
      },
      "mismatch in collective #1 of group [0,1]: rank 0 calls _allgather_base of Float, rank 1 "
      "calls _allgather_base of Int");
}

TEST(Mismatch, OfTheReductionNamesBothSides) {
  expect_mismatch(
      [](RankContext& context) {
        all_reduce(context.group({0, 1}), zeros(1),
                   context.rank() == 0 ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX);
      },
      "mismatch in collective #1 of group [0,1]: rank 0 calls allreduce with SUM, rank 1 calls "
      "allreduce with MAX");
}

TEST(Mismatch, OfTheRootNamesBothSides) {
  expect_mismatch(
      [](RankContext& context) {
        Tensors tensors{zeros(1)};
        c10d::BroadcastOptions options;
        options.rootRank = context.rank();
        context.group({0, 1})->broadcast(tensors, options)->wait();
      },
      "mismatch in collective #1 of group [0,1]: rank 0 calls broadcast from root 0, rank 1 calls "
      "broadcast from root 1");
}

TEST(Mismatch, OfAlltoallSplitsNamesBothSides) {
  expect_mismatch(
      [](RankContext& context) {
        at::Tensor input = zeros(3), output = zeros(3);
        std::vector<int64_t> in{1, 2}, out{2, 1};  // rank 0 sends 2 to rank 1, which expects 2
        if (context.rank() == 1) out = {1, 2};
        context.group({0, 1})->alltoall_base(output, input, out, in)->wait();
      },
      "mismatch in collective #1 of group [0,1]: alltoall_base: rank 0 sends 1 elements to rank 0, "
      "which expects 2");
}

TEST(Mismatch, OfOneMemberWithAnotherThanTheFirstIsSeen) {
  // By size: rank 0 fits everybody, ranks 1 and 2 do not fit each other.
  const Errors errors = run_errors(3, [](RankContext& context) {
    const int me = context.rank();
    Tensors inputs, outputs;
    for (int peer = 0; peer < 3; ++peer) {
      inputs.push_back(zeros(me == 1 && peer == 2 ? 5 : 4));
      outputs.push_back(zeros(4));
    }
    context.group({0, 1, 2})->alltoall(outputs, inputs)->wait();
  });
  EXPECT_EQ(text(errors, 0),
            "mismatch in collective #1 of group [0..2]: alltoall: rank 1 sends 5 elements to rank "
            "2, which expects 4");
  EXPECT_EQ(errors[1], errors[0]);
  EXPECT_EQ(errors[2], errors[0]);
}

TEST(Mismatch, OfAMessageNamesBothSides) {
  World world(2);
  const Errors errors = world.run([](RankContext& context) {
    const Group group = context.group({0, 1});
    if (context.rank() == 0) send(group, zeros(2, at::kFloat), 1, /*tag=*/4);
    if (context.rank() == 1) receive(group, zeros(3), 0, /*tag=*/4);
  });
  EXPECT_EQ(text(errors, 1),
            "mismatch in message #1 of group [0,1], tag 4: rank 0 sends 2 elements of Float, rank "
            "1 expects 3 elements of Double");
  expect_usable(world);
}

}  // namespace
}  // namespace attncheck::sim::testing
