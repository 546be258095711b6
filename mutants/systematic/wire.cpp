#include "mutants/systematic/wire.h"

#include <utility>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace attncheck {
namespace {

class FinishedWork final : public c10d::Work {
 public:
  FinishedWork(WorkPtr work, std::function<void()> finish)
      : work_(std::move(work)), finish_(std::move(finish)) {}

  bool wait(std::chrono::milliseconds timeout = kNoTimeout) override {
    if (work_) work_->wait(timeout);
    if (const auto finish = std::exchange(finish_, nullptr)) finish();
    return true;
  }
  void synchronize() override { wait(); }
  bool isCompleted() override { return finish_ == nullptr; }
  bool isSuccess() const override { return finish_ == nullptr; }

 private:
  WorkPtr work_;
  std::function<void()> finish_;
};

class WiredGroup final : public c10d::ProcessGroup {
 public:
  WiredGroup(c10::intrusive_ptr<c10d::ProcessGroup> group, std::shared_ptr<Wire> wire)
      : c10d::ProcessGroup(nullptr, group->getRank(), group->getSize()),
        group_(std::move(group)),
        wire_(std::move(wire)) {}

  WorkPtr _allgather_base(at::Tensor& all, at::Tensor& own,
                          const c10d::AllgatherOptions&) override {
    return wire_->gather(*group_, all, own);
  }
  WorkPtr alltoall_base(at::Tensor& received, at::Tensor& sent, std::vector<int64_t>& receives,
                        std::vector<int64_t>& sends, const c10d::AllToAllOptions&) override {
    return wire_->trade(*group_, {received, sent, receives, sends});
  }
  WorkPtr send(std::vector<at::Tensor>& tensors, int to, int tag) override {
    return wire_->send(*group_, tensors.front(), to, tag);
  }
  WorkPtr recv(std::vector<at::Tensor>& tensors, int from, int tag) override {
    return wire_->receive(*group_, tensors.front(), from, tag);
  }

  // The names of the first two in newer releases of c10d.
  WorkPtr all_gather_single(at::Tensor& all, at::Tensor& own,
                            const c10d::AllgatherOptions& options) {
    return _allgather_base(all, own, options);
  }
  WorkPtr all_to_all_single(at::Tensor& received, at::Tensor& sent, std::vector<int64_t>& receives,
                            std::vector<int64_t>& sends, const c10d::AllToAllOptions& options) {
    return alltoall_base(received, sent, receives, sends, options);
  }

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::shared_ptr<Wire> wire_;
};

}  // namespace

WorkPtr Wire::gather(c10d::ProcessGroup& group, at::Tensor all, at::Tensor own) {
  return group._allgather_base(all, own);
}

WorkPtr Wire::trade(c10d::ProcessGroup& group, WireTrade trade) {
  return group.alltoall_base(trade.received, trade.sent, trade.receives, trade.sends);
}

WorkPtr Wire::send(c10d::ProcessGroup& group, at::Tensor x, int to, int tag) {
  std::vector<at::Tensor> message{std::move(x)};
  return group.send(message, to, tag);
}

WorkPtr Wire::receive(c10d::ProcessGroup& group, at::Tensor x, int from, int tag) {
  std::vector<at::Tensor> buffer{std::move(x)};
  return group.recv(buffer, from, tag);
}

c10::intrusive_ptr<c10d::ProcessGroup> wired(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                             std::shared_ptr<Wire> wire) {
  return c10::make_intrusive<WiredGroup>(group, std::move(wire));
}

WorkPtr then(WorkPtr work, std::function<void()> finish) {
  return c10::make_intrusive<FinishedWork>(std::move(work), std::move(finish));
}

}  // namespace attncheck
