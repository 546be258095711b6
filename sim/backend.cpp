#include "sim/backend.h"

#include <utility>

#include <c10/util/Exception.h>

#include "sim/memory.h"
#include "sim/poison.h"

namespace attncheck::sim {

namespace {

using c10d::OpType;

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

void check_pairs(const char* op, const Tensors& outputs, const Tensors& inputs) {
  TORCH_CHECK(outputs.size() == inputs.size(), "sim: ", op, " was given ", inputs.size(),
              " inputs and ", outputs.size(), " outputs");
}

}  // namespace

SimBackend::SimBackend(std::shared_ptr<Group> group, int group_rank)
    : Backend(group_rank, group->size()),
      group_(std::move(group)),
      me_(group_rank),
      collectives_(group_rank, group_->size(), *group_->mesh().pool),
      options_(c10::make_intrusive<Options>("sim")) {}

WorkPtr SimBackend::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                              const c10d::AllgatherOptions&) {
  return post(OpType::ALLGATHER, ready().allgather(outputs, inputs));
}

WorkPtr SimBackend::_allgather_base(at::Tensor& output, at::Tensor& input,
                                    const c10d::AllgatherOptions&) {
  return post(OpType::_ALLGATHER_BASE, ready().allgather_base(output, input));
}

WorkPtr SimBackend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                    const c10d::AllgatherOptions&) {
  check_pairs("allgather_into_tensor_coalesced", outputs, inputs);
  std::vector<SimWorkPtr> works;
  for (size_t i = 0; i < inputs.size(); ++i) {
    works.push_back(post(OpType::_ALLGATHER_BASE, ready().allgather_base(outputs[i], inputs[i])));
  }
  return c10::make_intrusive<BatchWork>(me_, std::move(works));
}

WorkPtr SimBackend::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions&) {
  return post(OpType::ALLTOALL, ready().alltoall(outputs, inputs));
}

WorkPtr SimBackend::alltoall_base(at::Tensor& output, at::Tensor& input,
                                  std::vector<int64_t>& output_splits,
                                  std::vector<int64_t>& input_splits,
                                  const c10d::AllToAllOptions&) {
  return post(OpType::ALLTOALL_BASE,
              ready().alltoall_base(output, input, output_splits, input_splits));
}

WorkPtr SimBackend::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                   const c10d::ReduceScatterOptions& options) {
  const Reduction reduction = reduction_of(Kind::kReduceScatter, options.reduceOp);
  return post(OpType::REDUCE_SCATTER, ready().reduce_scatter(outputs, inputs, reduction));
}

WorkPtr SimBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                         const c10d::ReduceScatterOptions& options) {
  const Reduction reduction = reduction_of(Kind::kReduceScatterBase, options.reduceOp);
  return post(OpType::_REDUCE_SCATTER_BASE, ready().reduce_scatter_base(output, input, reduction));
}

WorkPtr SimBackend::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                    const c10d::ReduceScatterOptions& options) {
  check_pairs("reduce_scatter_tensor_coalesced", outputs, inputs);
  const Reduction reduction = reduction_of(Kind::kReduceScatterBase, options.reduceOp);
  std::vector<SimWorkPtr> works;
  for (size_t i = 0; i < inputs.size(); ++i) {
    works.push_back(post(OpType::_REDUCE_SCATTER_BASE,
                         ready().reduce_scatter_base(outputs[i], inputs[i], reduction)));
  }
  return c10::make_intrusive<BatchWork>(me_, std::move(works));
}

WorkPtr SimBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  const Reduction reduction = reduction_of(Kind::kAllreduce, options.reduceOp);
  return post(OpType::ALLREDUCE, ready().allreduce(tensors, reduction));
}

WorkPtr SimBackend::allreduce_coalesced(Tensors& tensors,
                                        const c10d::AllreduceCoalescedOptions& options) {
  const Reduction reduction = reduction_of(Kind::kAllreduce, options.reduceOp);
  std::vector<SimWorkPtr> works;
  for (const at::Tensor& tensor : tensors) {
    works.push_back(post(OpType::ALLREDUCE, ready().allreduce({tensor}, reduction)));
  }
  return c10::make_intrusive<BatchWork>(me_, std::move(works));
}

WorkPtr SimBackend::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
  const Reduction reduction = reduction_of(Kind::kReduce, options.reduceOp);
  return post(OpType::REDUCE, ready().reduce(tensors, reduction, options.rootRank));
}

WorkPtr SimBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  return post(OpType::BROADCAST, ready().broadcast(tensors, options.rootRank));
}

WorkPtr SimBackend::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                           const c10d::GatherOptions& options) {
  return post(OpType::GATHER, ready().gather(outputs, inputs, options.rootRank));
}

WorkPtr SimBackend::gather_into_tensor(at::Tensor& output, at::Tensor& input,
                                       const c10d::GatherOptions& options) {
  return post(OpType::GATHER, ready().gather_base(output, input, options.rootRank));
}

WorkPtr SimBackend::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                            const c10d::ScatterOptions& options) {
  return post(OpType::SCATTER, ready().scatter(outputs, inputs, options.rootRank));
}

WorkPtr SimBackend::barrier(const c10d::BarrierOptions&) {
  ready();
  return post(OpType::BARRIER, Exchange{});
}

WorkPtr SimBackend::send(Tensors& tensors, int to, int tag) {
  const at::Tensor& tensor = message_tensor("send", tensors, to);
  auto sent = group_->send(me_, to, tag, {tensor.scalar_type(), tensor.numel()},
                           pack({tensor}, *group_->mesh().pool));
  return launch(OpType::SEND, std::move(sent), {{}, {tensor}, {}});
}

WorkPtr SimBackend::recv(Tensors& tensors, int from, int tag) {
  const at::Tensor& tensor = message_tensor("recv", tensors, from);
  auto expected = group_->receive(from, me_, tag, {tensor.scalar_type(), tensor.numel()});
  return launch(OpType::RECV, std::move(expected), {{}, {}, {tensor}});
}

void SimBackend::startCoalescing() {
  ready();
  TORCH_CHECK(!in_batch(), "sim: startCoalescing was called twice, without endCoalescing between");
  batch_.clear();
  batch_run_ = group_->mesh().run;
}

WorkPtr SimBackend::endCoalescing() {
  ready();
  TORCH_CHECK(in_batch(), "sim: endCoalescing was called without startCoalescing");
  batch_run_ = -1;
  return c10::make_intrusive<BatchWork>(me_, std::exchange(batch_, {}));
}

const Collectives& SimBackend::ready() const {
  group_->mesh().require_turn(rank_in_world());
  return collectives_;
}

SimWorkPtr SimBackend::post(OpType type, Exchange exchange) {
  const bool overlaps = aliased(exchange, me_);
  Chunks receives = exchange.part.receives;
  auto round = group_->post(me_, std::move(exchange.part));
  exchange.part.receives = std::move(receives);
  if (overlaps) group_->mesh().in_flight[rank_in_world()].report_aliased(*round);
  return launch(type, std::move(round), std::move(exchange));
}

// Every exchange passes here once it is posted; nobody may touch its outputs before wait.
SimWorkPtr SimBackend::launch(OpType type, std::shared_ptr<Transfer> transfer, Exchange exchange) {
  Mesh& mesh = group_->mesh();
  Flight flight;
  flight.transfer = std::move(transfer);
  flight.outputs = std::move(exchange.outputs);
  if (mesh.options.watch) watch(flight, std::move(exchange.inputs));
  for (const at::Tensor& output : flight.outputs) poison(output);
  SimWorkPtr work = c10::make_intrusive<SimWork>(group_, me_, type, std::move(flight),
                                                 std::move(exchange.part.receives));
  if (in_batch()) batch_.push_back(work);
  mesh.baton.offer(rank_in_world());
  return work;
}

void SimBackend::watch(Flight& flight, Tensors inputs) {
  flight.inputs = std::move(inputs);
  for (const at::Tensor& input : flight.inputs) flight.input_bytes.push_back(bytes_of(input));
  group_->mesh().in_flight[rank_in_world()].use_by(flight);
}

const at::Tensor& SimBackend::message_tensor(const char* op, const Tensors& tensors,
                                             int peer) const {
  ready();
  const at::Tensor& tensor = only(op, tensors);
  check_defined(op, tensor);
  check_tensor(op, tensor, tensor.scalar_type());
  check_peer(op, peer, group_->size());
  TORCH_CHECK(peer != me_, "sim: ", op, " between rank ", me_, " of the group and itself");
  return tensor;
}

}  // namespace attncheck::sim
