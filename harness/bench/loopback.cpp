#include "harness/bench/loopback.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace attncheck::bench {
namespace {

using WorkPtr = c10::intrusive_ptr<c10d::Work>;

class DoneWork final : public c10d::Work {
 public:
  using c10d::Work::Work;
  bool wait(std::chrono::milliseconds = kNoTimeout) override { return true; }
  void synchronize() override {}
  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
};

// What goes out comes in. Where a rank would get more or less than it sends, as between shards of
// different lengths, as much as there is, and then zeros.
void move(const at::Tensor& out, const at::Tensor& in) {
  if (in.sizes() == out.sizes()) {
    in.copy_(out);
    return;
  }
  const int64_t moved = std::min(in.numel(), out.numel());
  const at::Tensor flat = in.view({-1});
  flat.narrow(0, 0, moved).copy_(out.reshape({-1}).narrow(0, 0, moved));
  flat.narrow(0, moved, in.numel() - moved).zero_();
}

// Sends meet receives in the order of each; whichever comes second copies.
class LoopbackBackend final : public c10d::Backend {
 public:
  using c10d::Backend::Backend;

  const std::string getBackendName() const override { return "loopback"; }

  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions&) override {
    const at::Tensor flat = output.view({getSize(), -1});
    flat.copy_(input.view({1, -1}).expand_as(flat));
    return done(c10d::OpType::_ALLGATHER_BASE);
  }

  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>&,
                        std::vector<int64_t>&, const c10d::AllToAllOptions&) override {
    move(input, output);
    return done(c10d::OpType::ALLTOALL_BASE);
  }

  WorkPtr recv(std::vector<at::Tensor>& tensors, int, int) override {
    if (sent_.empty()) {
      awaited_.push_back(tensors.front());
    } else {
      move(taken(sent_), tensors.front());
    }
    return done(c10d::OpType::RECV);
  }

  WorkPtr send(std::vector<at::Tensor>& tensors, int, int) override {
    if (awaited_.empty()) {
      sent_.push_back(tensors.front());
    } else {
      move(tensors.front(), taken(awaited_));
    }
    return done(c10d::OpType::SEND);
  }

 private:
  WorkPtr done(c10d::OpType type) { return c10::make_intrusive<DoneWork>(getRank(), type); }

  static at::Tensor taken(std::deque<at::Tensor>& posted) {
    const at::Tensor first = posted.front();
    posted.pop_front();
    return first;
  }

  std::deque<at::Tensor> awaited_, sent_;
};

c10::intrusive_ptr<c10d::ProcessGroup> loopback_group(int rank, int size) {
  static int64_t made = 0;
  const auto group = c10::make_intrusive<c10d::ProcessGroup>(nullptr, rank, size);
  const c10::intrusive_ptr<c10d::Backend> backend =
      c10::make_intrusive<LoopbackBackend>(rank, size);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::CUSTOM, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName("loopback " + std::to_string(++made));
  return group;
}

}  // namespace

MeshGroups loopback_groups(const Mesh& mesh, int rank) {
  MeshGroups groups;
  groups.mesh = mesh;
  groups.rank = rank;
  groups.world = loopback_group(rank, mesh.world());
  groups.ring = loopback_group(mesh.ring_index(rank), mesh.ring);
  groups.ulysses = loopback_group(mesh.ulysses_index(rank), mesh.ulysses);
  return groups;
}

}  // namespace attncheck::bench
