#include <concepts>

#include <gmock/gmock.h>

#include "sim/backend.h"
#include "tests/sim/sim_testing.h"

// What only newer releases of c10d have. A release that lacks it takes the backend's own method, or
// the name that it has, so that every test runs on all.
namespace attncheck::sim::testing {
namespace {

using ::testing::HasSubstr;
using Splits = std::vector<int64_t>;

template <typename AnyGroup>
concept HasSingleForms = requires(AnyGroup& group, at::Tensor& x, Tensors& list, Splits& splits) {
  group.all_gather_single(x, x);
  group.reduce_scatter_single(x, x);
  group.all_to_all_single(x, x, splits, splits);
  group.all_gather_single_coalesced(list, list);
  group.reduce_scatter_single_coalesced(list, list);
};

// Of `own`: gathered, gathered in a list, the gathered exchanged and the gathered reduced.
template <typename AnyGroup>
void exchange(AnyGroup& group, at::Tensor own, Tensors all) {
  Splits equal;
  Tensors input{own}, gathered{all[1]}, reduced{all[4]};
  if constexpr (HasSingleForms<AnyGroup>) {
    group.all_gather_single(all[0], own)->wait();
    group.all_gather_single_coalesced(gathered, input)->wait();
    group.all_to_all_single(all[2], all[0], equal, equal)->wait();
    group.reduce_scatter_single(all[3], all[0])->wait();
    group.reduce_scatter_single_coalesced(reduced, gathered)->wait();
  } else {
    group._allgather_base(all[0], own)->wait();
    group.allgather_into_tensor_coalesced(gathered, input)->wait();
    group.alltoall_base(all[2], all[0], equal, equal)->wait();
    group._reduce_scatter_base(all[3], all[0])->wait();
    group.reduce_scatter_tensor_coalesced(reduced, gathered)->wait();
  }
}

TEST(NewerNames, OfTheSingleTensorFormsDoWhatTheOldOnesDo) {
  World world(2);
  expect_no_errors(world.run([](RankContext& context) {
    const int me = context.rank();
    const Tensors all{zeros(4), zeros(4), zeros(4), zeros(2), zeros(2)};
    exchange(*context.group({0, 1}), tagged(me, 2), all);
    EXPECT_TRUE(same(all[0], list({0, 1, 100, 101})));
    EXPECT_TRUE(same(all[1], all[0]));
    EXPECT_TRUE(same(all[2], me == 0 ? list({0, 1, 0, 1}) : list({100, 101, 100, 101})));
    EXPECT_TRUE(same(all[3], me == 0 ? list({0, 2}) : list({200, 202})));
    EXPECT_TRUE(same(all[4], all[3]));
  }));
  EXPECT_EQ(findings(world), Lines{});
}

template <typename AnyGroup>
c10::intrusive_ptr<c10d::Work> gather_into(AnyGroup& group, at::Tensor output, at::Tensor input,
                                           int root) {
  c10d::GatherOptions options;
  options.rootRank = root;
  if constexpr (requires { group.gather_single(output, input, options); }) {
    return group.gather_single(output, input, options);
  } else {
    auto& backend = dynamic_cast<SimBackend&>(*group.getBackend(at::kCPU));
    return backend.gather_into_tensor(output, input, options);
  }
}

TEST(NewerNames, GatherIntoTensorGivesTheRootAllInGroupOrder) {
  World world(3);
  expect_no_errors(world.run([](RankContext& context) {
    const bool root = context.rank() == 0;
    const at::Tensor output = root ? zeros(6) : at::Tensor();
    gather_into(*context.group({2, 0, 1}), output, tagged(context.rank(), 2), 1)->wait();
    if (!root) return;
    EXPECT_TRUE(same(output, list({200, 201, 0, 1, 100, 101})));
  }));
  EXPECT_EQ(findings(world), Lines{});
}

TEST(NewerNames, GatherIntoTensorLeavesTheOutputOfOthers) {
  run_ranks(2, [](RankContext& context) {
    const at::Tensor output = context.rank() == 0 ? zeros(2) : list({7, 7, 7});
    gather_into(*context.group({0, 1}), output, tagged(context.rank(), 1), 0)->wait();
    EXPECT_TRUE(same(output, context.rank() == 0 ? list({0, 100}) : list({7, 7, 7})));
  });
}

TEST(NewerNames, GatherIntoTensorInPlaceIsNoFinding) {
  World world(2);
  expect_no_errors(world.run([](RankContext& context) {
    const int me = context.rank();
    const at::Tensor output = list({10.0 * me, 10.0 * me + 1});
    const at::Tensor own = output.slice(0, me, me + 1);
    gather_into(*context.group({0, 1}), output, own, 0)->wait();
    EXPECT_TRUE(same(output, list({10.0 * me, 11})));
  }));
  EXPECT_EQ(findings(world), Lines{});
}

TEST(NewerNames, GatherIntoTensorNamesWhatDoesNotFit) {
  const Errors errors = World(2).run([](RankContext& context) {
    gather_into(*context.group({0, 1}), zeros(2), zeros(1 + context.rank()), 0)->wait();
  });
  EXPECT_EQ(text(errors, 1),
            "mismatch in collective #1 of group [0,1]: gather_into_tensor: rank 1 sends 2 elements "
            "to rank 0, which expects 1");
}

TEST(NewerNames, GatherIntoTensorRefusesAnOutputOfAnotherSize) {
  const Errors errors = World(1).run(
      [](RankContext& context) { gather_into(*context.group({0}), zeros(3), zeros(2), 0); });
  EXPECT_THAT(text(errors, 0), HasSubstr("gather_into_tensor was given 3 elements for the whole "
                                         "group and 2 for one of its 1 ranks"));
}

}  // namespace
}  // namespace attncheck::sim::testing
