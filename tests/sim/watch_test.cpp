#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

constexpr RunOptions kWatched{.watch = true};

// What rank 0 does with the input and output of an _allgather_base that it has not waited for.
using Use = std::function<void(at::Tensor& input, at::Tensor& output)>;

Lines findings_of_use(const Use& use, const RunOptions& options = kWatched) {
  World world(2);
  expect_no_errors(world.run(
      [&](RankContext& context) {
        const Group group = context.group({0, 1});
        at::Tensor input = tagged(context.rank(), 4), output = zeros(8);
        const auto work = group->_allgather_base(output, input);
        if (context.rank() == 0) use(input, output);
        work->wait();
        output.add_(input[0]);  // now it may
      },
      options));
  return findings(world);
}

std::string early(const std::string& kind, const std::string& what) {
  return kind + " at 0 of _allgather_base #1 of group [0,1]: rank 0 " + what +
         " before it was waited for";
}

const std::string kOutput = "the output of _allgather_base #1 of group [0,1] ";
const std::string kInput = "the input of _allgather_base #1 of group [0,1] ";

TEST(Watch, SeesAReadOfAnOutputInFlight) {
  EXPECT_EQ(findings_of_use([](auto&, auto& output) { at::add(output, output); }),
            Lines{early("read_early", "reads " + kOutput + "in aten::add")});
}

TEST(Watch, SeesAReadThroughAViewAndInAList) {
  const Lines expected{early("read_early", "reads " + kOutput + "in aten::cat")};
  EXPECT_EQ(findings_of_use([](auto& input, auto& output) {
              at::cat({input, output.view({2, 4}).select(0, 1)});
            }),
            expected);
}

TEST(Watch, SeesAWriteOfAnOutputInFlight) {
  EXPECT_EQ(findings_of_use([](auto&, auto& output) { output.slice(0, 7, 8).zero_(); }),
            Lines{early("written_early", "writes " + kOutput + "in aten::zero_")});
}

TEST(Watch, SeesAWriteOfAnInputInFlight) {
  EXPECT_EQ(findings_of_use([](auto& input, auto&) { input.mul_(2); }),
            Lines{early("written_early", "writes " + kInput + "in aten::mul_")});
}

TEST(Watch, SeesWritesThroughPointers) {
  EXPECT_EQ(
      findings_of_use([](auto& input, auto&) { input.template mutable_data_ptr<double>()[2]++; }),
      Lines{early("written_early", "writes " + kInput + "through a pointer")});
  EXPECT_EQ(
      findings_of_use([](auto&, auto& out) { out.template mutable_data_ptr<double>()[7] = 3; }),
      Lines{early("written_early", "writes " + kOutput + "through a pointer")});
}

TEST(Watch, ReportsEachKindOncePerExchange) {
  EXPECT_EQ(findings_of_use([](auto& input, auto& output) {
              for (int i = 0; i < 3; ++i) at::add(output, output);
              output.zero_();
              input.zero_();
            }),
            (Lines{early("read_early", "reads " + kOutput + "in aten::add"),
                   early("written_early", "writes " + kOutput + "in aten::zero_")}));
}

TEST(Watch, AllowsReadsOfInputsViewsAndSizes) {
  EXPECT_EQ(findings_of_use([](auto& input, auto& output) {
              at::add(input, input).add_(1);
              const at::Tensor view = output.view({2, 4}).t().unsqueeze(0).detach();
              at::empty_like(output).zero_();
              output.new_zeros({3});
              input.expand_as(output.select(0, 0).expand({4}));
              output.numel();
              output.reshape({4, 2}).split(2)[0].contiguous().sizes();
            }),
            Lines{});
}

TEST(Watch, AllowsWhatStepsOverAnOutputInFlight) {
  World world(2);
  expect_no_errors(world.run(
      [](RankContext& context) {
        at::Tensor packed = zeros(24).view({2, 3, 4}), input = zeros(2);
        at::Tensor output = packed.select(0, 0).select(0, 1);
        const auto work = context.group({0, 1})->_allgather_base(output, input);
        packed.select(1, 0).add_(packed.select(1, 2));  // rows on both sides
        work->wait();
      },
      kWatched));
  EXPECT_EQ(findings(world), Lines{});
}

TEST(Watch, SeesAnExchangeThatIsPostedWithATensorInFlight) {
  World world(2);
  expect_no_errors(world.run(
      [](RankContext& context) {
        const Group group = context.group({0, 1});
        at::Tensor a = zeros(1), b = zeros(2), c = zeros(4);
        const auto first = group->_allgather_base(b, a);
        if (context.rank() == 1) first->wait();
        const auto second = group->_allgather_base(c, b);
        if (context.rank() == 1) second->wait();
        const auto third = group->_allgather_base(b, a);
        if (context.rank() == 0) first->wait(), second->wait();
        third->wait();
      },
      kWatched));
  const std::string first = "_allgather_base #1 of group [0,1]",
                    second = "_allgather_base #2 of group [0,1]",
                    third = "_allgather_base #3 of group [0,1]", end = " before it was waited for";
  EXPECT_EQ(findings(world),
            (Lines{"read_early at 0 of " + first + ": rank 0 reads the output of " + first +
                       " in " + second + end,
                   "written_early at 0 of " + first + ": rank 0 writes the output of " + first +
                       " in " + third + end,
                   "written_early at 0 of " + second + ": rank 0 writes the input of " + second +
                       " in " + third + end}));
}

TEST(Watch, AllowsExchangesInPlace) {
  World world(2);
  expect_no_errors(world.run(
      [](RankContext& context) {
        const Group group = context.group({0, 1});
        at::Tensor whole = zeros(2), own = whole.slice(0, context.rank(), context.rank() + 1);
        group->_allgather_base(whole, own)->wait();
        group->_reduce_scatter_base(own, whole)->wait();
        all_reduce(group, whole);
        for (int root = 0; root < 2; ++root) {
          Tensors tensors{whole};
          c10d::BroadcastOptions options;
          options.rootRank = root;
          group->broadcast(tensors, options)->wait();
        }
        Tensors taken{zeros(1)};
        const auto received = group->recv(taken, 1 - context.rank(), 0);
        send(group, own, 1 - context.rank());
        received->wait();
      },
      kWatched));
  EXPECT_EQ(findings(world), Lines{});
}

TEST(Watch, IsOffUnlessItIsAskedFor) {
  EXPECT_EQ(findings_of_use([](auto&, auto& output) { at::add(output, output); }, {}), Lines{});
}

TEST(Poison, StandsInOutputsUntilTheyAreWaitedFor) {
  run_ranks(2, [](RankContext& context) {
    const Group group = context.group({0, 1});
    for (at::ScalarType dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16,
                                 at::kComplexFloat, at::kFloat8_e4m3fn, at::kFloat8_e5m2fnuz}) {
      at::Tensor input = zeros(2, dtype), output = zeros(4, dtype);
      const auto work = group->_allgather_base(output, input);
      EXPECT_TRUE(
          output.to(at::isComplexType(dtype) ? dtype : at::kDouble).isnan().all().item<bool>())
          << dtype;
      work->wait();
      EXPECT_TRUE(same(output.view(at::kByte), zeros(4, dtype).view(at::kByte)));
    }
    for (at::ScalarType dtype : {at::kLong, at::kInt, at::kByte, at::kBool}) {
      at::Tensor input = zeros(2, dtype), output = zeros(4, dtype);
      const auto work = group->_allgather_base(output, input);
      EXPECT_TRUE(output.view(at::kByte).eq(0xA5).all().item<bool>()) << dtype;
      work->wait();
      EXPECT_TRUE(same(output, zeros(4, dtype)));
    }
  });
}

TEST(Poison, SparesTheRootOfABroadcast) {
  run_ranks(2, [](RankContext& context) {
    Tensors tensors{list({5})};
    const auto work = context.group({0, 1})->broadcast(tensors);
    EXPECT_EQ(tensors[0].isnan().item<bool>(), context.rank() == 1);
    work->wait();
    EXPECT_TRUE(same(tensors[0], list({5})));
  });
}

}  // namespace
}  // namespace attncheck::sim::testing
