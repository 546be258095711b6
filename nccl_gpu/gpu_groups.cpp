#include "nccl_gpu/gpu_groups.h"

#include <algorithm>
#include <vector>

#include <ATen/ops/ones.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "gloo_cpu/rank_place.h"

namespace attncheck::nccl_gpu {
namespace {

using gloo_cpu::GroupMaker;
using gloo_cpu::GroupParts;
using gloo_cpu::RankPlace;

c10::Device gpu_of(const RankPlace& place) {
  const int gpus = c10::cuda::device_count();
  TORCH_CHECK(gpus > 0, "no CUDA device for rank ", place.rank);
  const c10::Device gpu(c10::kCUDA, static_cast<c10::DeviceIndex>(gpu_index(place, gpus)));
  c10::cuda::set_device(gpu.index());
  return gpu;
}

class NcclGroups : public GroupMaker {
 public:
  explicit NcclGroups(const RankPlace& place) : device_(gpu_of(place)) {}

  c10::Device device() const override { return device_; }

  void equip(c10d::ProcessGroup& group, const GroupParts& parts) override {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = parts.timeout;
    auto nccl =
        c10::make_intrusive<c10d::ProcessGroupNCCL>(parts.store, parts.rank, parts.size, options);
    const auto kind = c10d::ProcessGroup::BackendType::NCCL;
    group.setDefaultBackend(kind);
    group.setBackend(device_.type(), kind, c10::intrusive_ptr<c10d::Backend>(nccl));
    meet(*nccl, parts);
  }

 private:
  // NCCL connects the members at their first exchange, and all of them must take part in it. The
  // first shift of a ring need not: a rank without keys of its own sends nothing.
  void meet(c10d::ProcessGroupNCCL& nccl, const GroupParts& parts) const {
    std::vector<at::Tensor> one{at::ones({1}, at::TensorOptions(device_))};
    nccl.allreduce(one)->wait(parts.timeout);
    const auto sum = one[0].item<float>();
    TORCH_CHECK(sum == static_cast<float>(parts.size), "the first exchange of a group of ",
                parts.size, " ranks summed to ", sum);
  }

  c10::Device device_;
};

}  // namespace

int gpu_index(const RankPlace& place, int gpus) {
  const int ranks_each = (place.local_world + gpus - 1) / gpus;
  return std::min(place.local_rank / std::max(1, ranks_each), gpus - 1);
}

std::unique_ptr<GroupMaker> make_gpu_groups(const RankPlace& place) {
  if (place.transport == "nccl") return std::make_unique<NcclGroups>(place);
  return gloo_cpu::gloo_groups(place, gpu_of(place));
}

}  // namespace attncheck::nccl_gpu

extern "C" std::unique_ptr<attncheck::gloo_cpu::GroupMaker> attncheck_make_gpu_groups(
    const attncheck::gloo_cpu::RankPlace& place) {
  return attncheck::nccl_gpu::make_gpu_groups(place);
}
