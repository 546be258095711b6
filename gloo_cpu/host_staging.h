#pragma once

#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace attncheck::gloo_cpu {

// Exchanges of tensors that are not in CPU memory over a backend that wants them there: what is
// sent is copied before the exchange is posted, what came is copied back by the work's wait(). It
// knows the exchanges that the project's own collectives use; others throw by name. Gloo itself
// would take some GPU tensors, but reads a GPU's address as its own in send and receive.
class HostStaging : public c10d::Backend {
 public:
  explicit HostStaging(c10::intrusive_ptr<c10d::Backend> backend);

  const std::string getBackendName() const override { return "staged"; }

  using Tensors = std::vector<at::Tensor>;
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions& options) override;
  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits,
                        const c10d::AllToAllOptions& options) override;
  WorkPtr barrier(const c10d::BarrierOptions& options) override;
  WorkPtr send(Tensors& tensors, int to, int tag) override;
  WorkPtr recv(Tensors& tensors, int from, int tag) override;

 private:
  c10::intrusive_ptr<c10d::Backend> backend_;
};

}  // namespace attncheck::gloo_cpu
