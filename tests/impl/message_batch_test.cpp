#include "impl/collectives/message_batch.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "impl/collectives/exchange.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::errors_on_mesh;
using testing::normal;
using testing::run_on_mesh;

// Sends and receives by NCCL's rules over a simulated group: messages have no tags, and one that is
// in no batch is refused, where NCCL would wait for ever.
class Tagless : public c10d::Backend {
 public:
  using Tensors = std::vector<at::Tensor>;
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;

  explicit Tagless(c10::intrusive_ptr<c10d::Backend> group)
      : Backend(group->getRank(), group->getSize()), group_(std::move(group)) {}

  const std::string getBackendName() const override { return "tagless"; }
  bool supportsCoalescing() const override { return true; }
  void startCoalescing() override {
    group_->startCoalescing();
    open_ = true;
  }
  WorkPtr endCoalescing() override {
    open_ = false;
    return group_->endCoalescing();
  }
  WorkPtr send(Tensors& tensors, int to, int) override {
    TORCH_CHECK(open_, "a send in no batch");
    group_->send(tensors, to, 0);
    return {};
  }
  WorkPtr recv(Tensors& tensors, int from, int) override {
    TORCH_CHECK(open_, "a receive in no batch");
    group_->recv(tensors, from, 0);
    return {};
  }

 private:
  c10::intrusive_ptr<c10d::Backend> group_;
  bool open_ = false;
};

c10::intrusive_ptr<c10d::ProcessGroup> without_tags(c10d::ProcessGroup& group) {
  const auto kind = c10d::ProcessGroup::BackendType::CUSTOM;
  auto tagless = c10::make_intrusive<Tagless>(group.getBackend(c10::DeviceType::CPU));
  auto made = c10::make_intrusive<c10d::ProcessGroup>(group.getRank(), group.getSize());
  made->setDefaultBackend(kind);
  made->setBackend(c10::DeviceType::CPU, kind, c10::intrusive_ptr<c10d::Backend>(tagless));
  return made;
}

// Of rank `rank`: two tensors of their own, the second without elements on rank 0.
std::vector<at::Tensor> of_rank(int rank) {
  return {normal({2, 3}, 10 + rank), normal({rank, 2}, 20 + rank)};
}

std::vector<Sizes> shapes(const std::vector<at::Tensor>& xs) {
  std::vector<Sizes> all;
  for (const auto& x : xs) all.push_back(x.sizes().vec());
  return all;
}

TEST(MessageBatch, AShiftIsRightWhereMessagesHaveNoTags) {
  for (int ranks : {2, 3, 4}) {
    run_on_mesh({ranks, 1}, [ranks](const MeshGroups& groups) {
      const auto group = without_tags(*groups.ring);
      const auto expected = of_rank((groups.rank + ranks - 1) % ranks);
      const auto got = post_shift(of_rank(groups.rank), *group, 1, 0, shapes(expected)).wait();
      for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(difference(got[i], expected[i]), 0.0);
    });
  }
}

TEST(MessageBatch, ShiftsUnderWayTogetherMeetInTheOrderOfTheirPosts) {
  run_on_mesh({3, 1}, [](const MeshGroups& groups) {
    const auto group = without_tags(*groups.ring);
    const at::Tensor x = normal({4}, groups.rank), y = normal({4}, 100 + groups.rank);
    auto first = post_shift({x}, *group, 1, 0);
    auto second = post_shift({y}, *group, 1, 2);
    const int from = (groups.rank + 2) % 3;
    EXPECT_EQ(difference(second.wait()[0], normal({4}, 100 + from)), 0.0);
    EXPECT_EQ(difference(first.wait()[0], normal({4}, from)), 0.0);
  });
}

TEST(MessageBatch, AnExceptionLeavesNoBatchOpen) {
  const auto errors = errors_on_mesh({2, 1}, [](const MeshGroups& groups) {
    const auto group = without_tags(*groups.ring);
    EXPECT_THROW(
        {
          MessageBatch batch(*group, c10::DeviceType::CPU);
          batch.send(at::Tensor(normal({2}, 1)), groups.rank, 0);  // to itself
        },
        c10::Error);
    const auto got = shift({normal({2}, groups.rank)}, *group, 1);
    EXPECT_EQ(difference(got[0], normal({2}, 1 - groups.rank)), 0.0);
  });
  for (const auto& error : errors) EXPECT_FALSE(error.has_value()) << *error;
}

}  // namespace
}  // namespace attncheck
