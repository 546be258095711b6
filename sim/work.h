#pragma once

#include <exception>
#include <memory>
#include <vector>

#include <torch/csrc/distributed/c10d/Work.hpp>

#include "sim/flight.h"
#include "sim/group.h"

namespace attncheck::sim {

using WorkPtr = c10::intrusive_ptr<c10d::Work>;

// What a post returns: a transfer and the outputs that it is to write.
class SimWork final : public c10d::Work {
 public:
  // `receives` says how an output that is one for all peers is cut.
  SimWork(std::shared_ptr<Group> group, int group_rank, c10d::OpType type, Flight flight,
          Chunks receives);
  ~SimWork() override;

  bool wait(std::chrono::milliseconds timeout = kNoTimeout) override;
  void synchronize() override { wait(); }
  // A caller that polls gives the turn away too; true means that the outputs are written.
  bool isCompleted() override;
  bool isSuccess() const override { return settled_ && !failure_; }
  std::exception_ptr exception() const override { return failure_; }
  std::vector<at::Tensor> result() override { return flight_.outputs; }

 private:
  Mesh& mesh() const { return group_->mesh(); }
  // Waits, if it is to, and writes the outputs.
  void settle(bool await);

  std::shared_ptr<Group> group_;
  int rank_in_world_;
  Flight flight_;
  Chunks receives_;
  bool settled_ = false;
  std::exception_ptr failure_;
};

// Several works as one: waits for each of them in the order of their posts.
class BatchWork final : public c10d::Work {
 public:
  BatchWork(int group_rank, std::vector<WorkPtr> works);

  bool wait(std::chrono::milliseconds timeout = kNoTimeout) override;
  void synchronize() override { wait(); }
  bool isCompleted() override;
  bool isSuccess() const override;
  std::exception_ptr exception() const override;
  std::vector<at::Tensor> result() override;

 private:
  std::vector<WorkPtr> works_;
};

}  // namespace attncheck::sim
