#include "gloo_cpu/host_staging.h"

#include <utility>

#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace attncheck::gloo_cpu {
namespace {

at::Tensor in_host_memory(const at::Tensor& x) {
  return at::empty(x.sizes(), x.options().device(at::kCPU)).copy_(x);
}

at::Tensor room_for(const at::Tensor& x) {
  return at::empty(x.sizes(), x.options().device(at::kCPU));
}

// The exchange of the copies, and then the way back.
class StagedWork : public c10d::Work {
 public:
  // Keeps `copies` while they travel; `arrived[i]` goes to `outputs[i]`.
  StagedWork(c10::intrusive_ptr<c10d::Work> work, HostStaging::Tensors copies,
             HostStaging::Tensors outputs, HostStaging::Tensors arrived)
      : work_(std::move(work)),
        copies_(std::move(copies)),
        outputs_(std::move(outputs)),
        arrived_(std::move(arrived)) {}

  bool isCompleted() override { return work_->isCompleted(); }
  bool isSuccess() const override { return work_->isSuccess(); }
  std::exception_ptr exception() const override { return work_->exception(); }
  void synchronize() override { wait(kNoTimeout); }
  std::vector<at::Tensor> result() override { return outputs_; }

  bool wait(std::chrono::milliseconds timeout) override {
    const bool done = work_->wait(timeout);
    for (size_t i = 0; i < arrived_.size(); ++i) outputs_[i].copy_(arrived_[i]);
    arrived_.clear();
    return done;
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  HostStaging::Tensors copies_, outputs_, arrived_;
};

HostStaging::WorkPtr staged(c10::intrusive_ptr<c10d::Work> work, HostStaging::Tensors copies,
                            HostStaging::Tensors outputs, HostStaging::Tensors arrived) {
  return c10::make_intrusive<StagedWork>(std::move(work), std::move(copies), std::move(outputs),
                                         std::move(arrived));
}

}  // namespace

HostStaging::HostStaging(c10::intrusive_ptr<c10d::Backend> backend)
    : Backend(backend->getRank(), backend->getSize()), backend_(std::move(backend)) {}

HostStaging::WorkPtr HostStaging::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                  const c10d::AllgatherOptions& options) {
  at::Tensor sent = in_host_memory(input), all = room_for(output);
  auto work = backend_->_allgather_base(all, sent, options);
  return staged(std::move(work), {sent}, {output}, {all});
}

HostStaging::WorkPtr HostStaging::allreduce(Tensors& tensors,
                                            const c10d::AllreduceOptions& options) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(in_host_memory(tensor));
  auto work = backend_->allreduce(copies, options);
  return staged(std::move(work), {}, tensors, copies);
}

HostStaging::WorkPtr HostStaging::alltoall_base(at::Tensor& output, at::Tensor& input,
                                                std::vector<int64_t>& output_splits,
                                                std::vector<int64_t>& input_splits,
                                                const c10d::AllToAllOptions& options) {
  at::Tensor sent = in_host_memory(input), all = room_for(output);
  auto work = backend_->alltoall_base(all, sent, output_splits, input_splits, options);
  return staged(std::move(work), {sent}, {output}, {all});
}

HostStaging::WorkPtr HostStaging::barrier(const c10d::BarrierOptions& options) {
  return backend_->barrier(options);
}

HostStaging::WorkPtr HostStaging::send(Tensors& tensors, int to, int tag) {
  Tensors copies{in_host_memory(tensors.at(0))};
  auto work = backend_->send(copies, to, tag);
  return staged(std::move(work), copies, {}, {});
}

HostStaging::WorkPtr HostStaging::recv(Tensors& tensors, int from, int tag) {
  Tensors copies{room_for(tensors.at(0))};
  auto work = backend_->recv(copies, from, tag);
  return staged(std::move(work), {}, {tensors.at(0)}, copies);
}

}  // namespace attncheck::gloo_cpu
