#include "nccl_gpu/gpu_groups.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "gloo_cpu/rank_place.h"

namespace attncheck::nccl_gpu {
namespace {

using gloo_cpu::RankPlace;

RankPlace place_of(int local_rank, int local_world, const std::string& transport = "nccl") {
  RankPlace place;
  place.transport = transport;
  place.device = "cuda";
  place.local_rank = local_rank;
  place.local_world = local_world;
  place.network = "127.0.0.1";
  return place;
}

// Tests below need a GPU: not to run is not to pass.
class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (c10::cuda::device_count() == 0) GTEST_SKIP() << "not_run: no CUDA device";
  }
};

c10::intrusive_ptr<c10d::ProcessGroup> group_of_one(gloo_cpu::GroupMaker& maker) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(0, 1);
  maker.equip(*group, {c10::make_intrusive<c10d::HashStore>(), 0, 1, std::chrono::seconds(30)});
  return group;
}

TEST(GpuIndex, DealsOneEachWhereThereAreEnough) {
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(gpu_index(place_of(rank, 4), 4), rank);
    EXPECT_EQ(gpu_index(place_of(rank, 4), 8), rank);
    EXPECT_EQ(gpu_index(place_of(rank, 4), 1), 0);
  }
}

// The ranks of a mesh that lies in a world of twice as many are the odd ones.
TEST(GpuIndex, EverySecondRankOfTwiceAsManyHasOneOfItsOwn) {
  EXPECT_EQ(gpu_index(place_of(1, 4), 2), 0);
  EXPECT_EQ(gpu_index(place_of(3, 4), 2), 1);
}

TEST(GpuGroups, WithoutAGpuSayWhichRankLacksOne) {
  if (c10::cuda::device_count() > 0) GTEST_SKIP() << "not_run: there is a CUDA device";
  try {
    make_gpu_groups(place_of(0, 1));
    FAIL() << "groups without a GPU";
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("no CUDA device for rank 0"), std::string::npos);
  }
}

TEST_F(OnGpu, NcclSumsOnTheRanksOwnDevice) {
  const auto maker = make_gpu_groups(place_of(0, 1));
  const auto group = group_of_one(*maker);
  std::vector<at::Tensor> x{at::arange(4, at::TensorOptions(maker->device()))};
  group->allreduce(x)->wait();
  EXPECT_TRUE(x[0].cpu().equal(at::arange(4)));
}

TEST_F(OnGpu, GlooCarriesCudaTensorsByWayOfTheHost) {
  const auto maker = make_gpu_groups(place_of(0, 1, "gloo"));
  const auto group = group_of_one(*maker);
  at::Tensor x = at::arange(4, at::TensorOptions(maker->device())), all = at::empty_like(x);
  group->_allgather_base(all, x)->wait();
  EXPECT_TRUE(all.is_cuda());
  EXPECT_TRUE(all.cpu().equal(at::arange(4)));
}

}  // namespace
}  // namespace attncheck::nccl_gpu
