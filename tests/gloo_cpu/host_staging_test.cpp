#include "gloo_cpu/host_staging.h"

#include <functional>
#include <thread>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "gloo_cpu/group_maker.h"
#include "gloo_cpu/rank_place.h"

namespace attncheck::gloo_cpu {
namespace {

using Work = std::function<void(HostStaging& group, int rank)>;

// Two ranks as threads; their tensors are in CPU memory, which is staged like any other.
void on_two_ranks(const Work& work) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto be_rank = [&](int rank) {
    RankPlace place;
    place.network = "127.0.0.1";
    c10d::ProcessGroup group(rank, 2);
    gloo_groups(place, at::kCPU)->equip(group, {store, rank, 2, std::chrono::seconds(20)});
    HostStaging staged(group.getBackend(c10::DeviceType::CPU));
    work(staged, rank);
  };
  std::thread other([&] { be_rank(1); });
  be_rank(0);
  other.join();
}

at::Tensor of_rank(int rank) {
  return at::arange(6, at::kDouble).add(10 * rank);
}

TEST(HostStaging, MessagesArriveWhenTheyAreWaitedFor) {
  on_two_ranks([](HostStaging& group, int rank) {
    std::vector<at::Tensor> given{of_rank(rank)}, taken{at::empty({6}, at::kDouble)};
    const auto received = group.recv(taken, 1 - rank, 0), sent = group.send(given, 1 - rank, 0);
    given[0].zero_();  // what travels is a copy
    sent->wait();
    received->wait();
    EXPECT_TRUE(taken[0].equal(of_rank(1 - rank)));
  });
}

TEST(HostStaging, CollectivesAreThoseOfTheBackend) {
  on_two_ranks([](HostStaging& group, int rank) {
    at::Tensor own = of_rank(rank), all = at::empty({12}, at::kDouble);
    group._allgather_base(all, own, {})->wait();
    EXPECT_TRUE(all.equal(at::cat({of_rank(0), of_rank(1)})));
    at::Tensor traded = at::empty({6}, at::kDouble);
    std::vector<int64_t> splits;
    group.alltoall_base(traded, own, splits, splits, {})->wait();
    EXPECT_TRUE(
        traded.narrow(0, 3 * (1 - rank), 3).equal(of_rank(1 - rank).narrow(0, 3 * rank, 3)));
    std::vector<at::Tensor> sum{own};
    group.allreduce(sum, {})->wait();
    EXPECT_TRUE(sum[0].equal(of_rank(0) + of_rank(1)));
  });
}

TEST(HostStaging, WhatItDoesNotKnowThrows) {
  on_two_ranks([](HostStaging& group, int rank) {
    std::vector<at::Tensor> tensors{of_rank(rank)};
    EXPECT_THROW(group.broadcast(tensors, {}), c10::Error);
  });
}

}  // namespace
}  // namespace attncheck::gloo_cpu
