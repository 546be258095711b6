// All that depends on c10d, whose surface changes from release to release. What exists in some
// releases only is declared without `override`.

#include "sim/process_group.h"

#include <atomic>
#include <utility>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "sim/arguments.h"
#include "sim/group.h"

namespace attncheck::sim {

namespace {

using Tensors = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;

// A transfer and the outputs that it is to write.
class SimWork final : public c10d::Work {
 public:
  SimWork(std::shared_ptr<Group> group, int group_rank, c10d::OpType type,
          std::shared_ptr<Transfer> transfer, Tensors outputs, Chunks chunks)
      : Work(group_rank, type),
        group_(std::move(group)),
        rank_in_world_(group_->world_rank(group_rank)),
        transfer_(std::move(transfer)),
        outputs_(std::move(outputs)),
        chunks_(std::move(chunks)) {}

  bool wait(std::chrono::milliseconds = kNoTimeout) override {
    group_->mesh().require_turn(rank_in_world_);
    if (failure_) std::rethrow_exception(failure_);
    if (transfer_ == nullptr) return true;
    settle([&] { group_->mesh().baton.wait(rank_in_world_, *transfer_); });
    return true;
  }

  void synchronize() override { wait(); }

  // A caller that polls gives the turn away too; true means that the outputs are written.
  bool isCompleted() override {
    group_->mesh().require_turn(rank_in_world_);
    if (failure_ || transfer_ == nullptr) return true;
    if (!transfer_->ready(rank_in_world_)) {
      group_->mesh().baton.yield(rank_in_world_, *transfer_);
    }
    if (transfer_->ready(rank_in_world_)) settle([] {});
    return transfer_ == nullptr;
  }

  bool isSuccess() const override { return transfer_ == nullptr && !failure_; }
  std::exception_ptr exception() const override { return failure_; }
  std::vector<at::Tensor> result() override { return outputs_; }

 private:
  template <typename Await>
  void settle(const Await& await) {
    try {
      await();
      transfer_->deliver(rank_in_world_, destination_of(outputs_, chunks_));
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
    transfer_ = nullptr;
  }

  std::shared_ptr<Group> group_;
  int rank_in_world_;
  std::shared_ptr<Transfer> transfer_;
  Tensors outputs_;
  Chunks chunks_;
  std::exception_ptr failure_;
};

Reduction reduction_of(Kind kind, const c10d::ReduceOp& op) {
  switch (op.op_) {
    case c10d::ReduceOp::SUM:
      return Reduction::kSum;
    case c10d::ReduceOp::AVG:
      return Reduction::kAverage;
    case c10d::ReduceOp::PRODUCT:
      return Reduction::kProduct;
    case c10d::ReduceOp::MIN:
      return Reduction::kMin;
    case c10d::ReduceOp::MAX:
      return Reduction::kMax;
    default:
      break;
  }
  C10_THROW_ERROR(
      Error, c10::str("sim: ", name_of(kind), " does not support reduce operation number ",
                      static_cast<int>(op.op_), "; it supports SUM, AVG, PRODUCT, MIN and MAX"));
}

void check_tensors(const char* op, const Tensors& tensors, at::ScalarType dtype) {
  for (const at::Tensor& tensor : tensors) check_tensor(op, tensor, dtype);
}

class SimBackend final : public c10d::Backend {
 public:
  SimBackend(std::shared_ptr<Group> group, int group_rank)
      : Backend(group_rank, group->size()),
        group_(std::move(group)),
        me_(group_rank),
        members_(group_->size()),
        options_(c10::make_intrusive<Options>("sim")) {}

  const std::string getBackendName() const override { return "sim"; }
  c10::intrusive_ptr<Options> getBackendOptions() { return options_; }
  void setTimeout(std::chrono::milliseconds timeout) { options_->timeout = timeout; }
  void setSequenceNumberForGroup() override {}
  uint64_t getSequenceNumberForGroup() override { return group_->posted(me_); }

  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const c10d::AllgatherOptions&) override {
    const at::Tensor& input = only("allgather", inputs);
    const Tensors& list = only_list("allgather", outputs, members_);
    Contribution part = contribution(Kind::kAllgather, {input}, list);
    part.sends = Chunks::shared(input.numel());
    part.receives = chunks_of(list);
    return post(c10d::OpType::ALLGATHER, std::move(part), list);
  }

  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions&) override {
    check_ratio("_allgather_base", output, input, members_);
    Contribution part = contribution(Kind::kAllgatherBase, {input}, {output});
    part.sends = Chunks::shared(input.numel());
    part.receives = Chunks::even(input.numel());
    return post(c10d::OpType::_ALLGATHER_BASE, std::move(part), {output});
  }

  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions&) override {
    list_of("alltoall", outputs, members_);
    list_of("alltoall", inputs, members_);
    Contribution part = contribution(Kind::kAlltoall, inputs, outputs);
    part.sends = chunks_of(inputs);
    part.receives = chunks_of(outputs);
    return post(c10d::OpType::ALLTOALL, std::move(part), outputs);
  }

  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits, const c10d::AllToAllOptions&) override {
    Contribution part = contribution(Kind::kAlltoallBase, {input}, {output});
    part.sends = chunks_of("alltoall_base", input, input_splits, members_);
    part.receives = chunks_of("alltoall_base", output, output_splits, members_);
    return post(c10d::OpType::ALLTOALL_BASE, std::move(part), {output});
  }

  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                         const c10d::ReduceScatterOptions& options) override {
    const at::Tensor& output = only("reduce_scatter", outputs);
    const Tensors& list = only_list("reduce_scatter", inputs, members_);
    Contribution part = contribution(Kind::kReduceScatter, list, {output});
    set_reduction(part, options.reduceOp);
    part.sends = chunks_of(list);
    part.receives = Chunks::shared(output.numel());
    return post(c10d::OpType::REDUCE_SCATTER, std::move(part), {output});
  }

  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                               const c10d::ReduceScatterOptions& options) override {
    check_ratio("_reduce_scatter_base", input, output, members_);
    Contribution part = contribution(Kind::kReduceScatterBase, {input}, {output});
    set_reduction(part, options.reduceOp);
    part.sends = Chunks::even(output.numel());
    part.receives = Chunks::shared(output.numel());
    return post(c10d::OpType::_REDUCE_SCATTER_BASE, std::move(part), {output});
  }

  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override {
    const at::Tensor& tensor = only("allreduce", tensors);
    Contribution part = contribution(Kind::kAllreduce, {tensor}, {});
    set_reduction(part, options.reduceOp);
    part.sends = part.receives = Chunks::shared(tensor.numel());
    return post(c10d::OpType::ALLREDUCE, std::move(part), {tensor});
  }

  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override {
    const at::Tensor& tensor = only("broadcast", tensors);
    check_peer("broadcast", options.rootRank, members_);
    Contribution part = contribution(Kind::kBroadcast, {tensor}, {});
    part.root = static_cast<int>(options.rootRank);
    part.sends = part.receives = Chunks::shared(tensor.numel());
    return post(c10d::OpType::BROADCAST, std::move(part), {tensor});
  }

  WorkPtr barrier(const c10d::BarrierOptions&) override {
    require_turn();
    return post(c10d::OpType::BARRIER, Contribution{}, {});
  }

  WorkPtr send(Tensors& tensors, int to, int tag) override {
    const at::Tensor& tensor = message_tensor("send", tensors, to);
    auto sent = group_->send(me_, to, tag, {tensor.scalar_type(), tensor.numel()},
                             pack({tensor}, *group_->mesh().pool));
    return launch(c10d::OpType::SEND, std::move(sent), {}, {});
  }

  WorkPtr recv(Tensors& tensors, int from, int tag) override {
    const at::Tensor& tensor = message_tensor("recv", tensors, from);
    auto expected = group_->receive(from, me_, tag, {tensor.scalar_type(), tensor.numel()});
    return launch(c10d::OpType::RECV, std::move(expected), {tensor}, {});
  }

 private:
  void require_turn() const { group_->mesh().require_turn(group_->world_rank(me_)); }

  // Checks the tensors and copies the inputs.
  Contribution contribution(Kind kind, const Tensors& inputs, const Tensors& outputs) {
    require_turn();
    check_defined(name_of(kind), inputs.front());
    Contribution part;
    part.kind = kind;
    part.dtype = inputs.front().scalar_type();
    check_tensors(name_of(kind), inputs, part.dtype);
    check_tensors(name_of(kind), outputs, part.dtype);
    part.data = pack(inputs, *group_->mesh().pool);
    return part;
  }

  static void set_reduction(Contribution& part, const c10d::ReduceOp& op) {
    part.reduction = reduction_of(part.kind, op);
    const char* why = why_unsupported(part.reduction, part.dtype);
    TORCH_CHECK(why == nullptr, "sim: ", name_of(part.kind), " with ", name_of(part.reduction),
                " of ", part.dtype, " is not supported: ", why);
  }

  WorkPtr post(c10d::OpType type, Contribution part, Tensors outputs) {
    Chunks receives = part.receives;
    auto round = group_->post(me_, std::move(part));
    return launch(type, std::move(round), std::move(outputs), std::move(receives));
  }

  // Every exchange passes here once it is posted; nobody may touch `outputs` before wait.
  WorkPtr launch(c10d::OpType type, std::shared_ptr<Transfer> transfer, Tensors outputs,
                 Chunks chunks) {
    return c10::make_intrusive<SimWork>(group_, me_, type, std::move(transfer), std::move(outputs),
                                        std::move(chunks));
  }

  const at::Tensor& message_tensor(const char* op, const Tensors& tensors, int peer) const {
    require_turn();
    const at::Tensor& tensor = only(op, tensors);
    check_defined(op, tensor);
    check_tensor(op, tensor, tensor.scalar_type());
    check_peer(op, peer, members_);
    TORCH_CHECK(peer != me_, "sim: ", op, " between rank ", me_, " of the group and itself");
    return tensor;
  }

  std::shared_ptr<Group> group_;
  int me_;
  int members_;
  c10::intrusive_ptr<Options> options_;
};

// c10d's own barrier keeps a tensor in a static variable, which two worlds at work would race for.
class SimProcessGroup final : public c10d::ProcessGroup {
 public:
  using c10d::ProcessGroup::ProcessGroup;
  WorkPtr barrier(const c10d::BarrierOptions& options = c10d::BarrierOptions()) override {
    return getBackend(c10::DeviceType::CPU)->barrier(options);
  }
};

std::string unique_name(const Group& group, int group_rank) {
  static std::atomic<int64_t> made{0};
  return "sim " + std::to_string(++made) + " " + group.members().text() + " rank " +
         std::to_string(group.world_rank(group_rank));
}

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(std::shared_ptr<Group> group,
                                                          int group_rank) {
  const std::string name = unique_name(*group, group_rank);
  const int size = group->size();
  const c10::intrusive_ptr<c10d::Backend> backend =
      c10::make_intrusive<SimBackend>(std::move(group), group_rank);
  const c10::intrusive_ptr<c10d::ProcessGroup> made =
      c10::make_intrusive<SimProcessGroup>(nullptr, group_rank, size);
  made->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::CUSTOM, backend);
  made->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  made->setGroupName(name);
  return made;
}

}  // namespace attncheck::sim
