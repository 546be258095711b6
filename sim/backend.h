#pragma once

#include <memory>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "sim/collectives.h"
#include "sim/group.h"
#include "sim/work.h"

namespace attncheck::sim {

// The c10d backend of one member of a group; process_group.h says what it promises. What exists in
// some releases of LibTorch only is declared without `override`.
class SimBackend final : public c10d::Backend {
 public:
  SimBackend(std::shared_ptr<Group> group, int group_rank);

  const std::string getBackendName() const override { return "sim"; }
  c10::intrusive_ptr<Options> getBackendOptions() { return options_; }
  void setTimeout(std::chrono::milliseconds timeout) { options_->timeout = timeout; }
  void setSequenceNumberForGroup() override {}
  uint64_t getSequenceNumberForGroup() override { return group_->posted(me_); }

  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const c10d::AllgatherOptions&) override;
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions&) override;
  WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const c10d::AllgatherOptions&) override;
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions&) override;
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits, const c10d::AllToAllOptions&) override;
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                         const c10d::ReduceScatterOptions& options) override;
  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                               const c10d::ReduceScatterOptions& options) override;
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const c10d::ReduceScatterOptions& options) override;
  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
  WorkPtr allreduce_coalesced(Tensors& tensors,
                              const c10d::AllreduceCoalescedOptions& options) override;
  WorkPtr reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs,
                 const c10d::GatherOptions& options) override;
  WorkPtr gather_into_tensor(at::Tensor& output, at::Tensor& input,
                             const c10d::GatherOptions& options);
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                  const c10d::ScatterOptions& options) override;
  WorkPtr barrier(const c10d::BarrierOptions&) override;
  WorkPtr send(Tensors& tensors, int to, int tag) override;
  WorkPtr recv(Tensors& tensors, int from, int tag) override;

  // Posts take effect at once all the same; the work of a batch waits for all of them.
  bool supportsCoalescing() const override { return true; }
  void startCoalescing() override;
  WorkPtr endCoalescing() override;

 private:
  int rank_in_world() const { return group_->world_rank(me_); }
  // Throws unless it is this rank's turn.
  const Collectives& ready() const;
  bool in_batch() const { return batch_run_ == group_->mesh().run; }
  SimWorkPtr post(c10d::OpType type, Exchange exchange);
  SimWorkPtr launch(c10d::OpType type, std::shared_ptr<Transfer> transfer, Exchange exchange);
  // Keeps the inputs in flight, and looks at what else is.
  void watch(Flight& flight, Tensors inputs);
  const at::Tensor& message_tensor(const char* op, const Tensors& tensors, int peer) const;

  std::shared_ptr<Group> group_;
  int me_;
  Collectives collectives_;
  c10::intrusive_ptr<Options> options_;
  std::vector<SimWorkPtr> batch_;
  int64_t batch_run_ = -1;  // the run in which a batch is open
};

}  // namespace attncheck::sim
