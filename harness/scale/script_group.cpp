#include "harness/scale/script_group.h"

#include <utility>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace attncheck::scale {
namespace {

using WorkPtr = c10::intrusive_ptr<c10d::Work>;

class ScriptWork final : public c10d::Work {
 public:
  ScriptWork(std::shared_ptr<Script> script, size_t exchange)
      : script_(std::move(script)), exchange_(exchange) {}

  bool wait(std::chrono::milliseconds = kNoTimeout) override {
    if (!std::exchange(waited_, true)) script_->wait(exchange_);
    return true;
  }
  void synchronize() override { wait(); }

 private:
  std::shared_ptr<Script> script_;
  size_t exchange_;
  bool waited_ = false;
};

// c10d dispatches by device and knows no tensors without data, so the calls are taken before that.
class ScriptGroup final : public c10d::ProcessGroup {
 public:
  ScriptGroup(int rank, int size, Axis axis, std::shared_ptr<Script> script)
      : c10d::ProcessGroup(nullptr, rank, size), axis_(axis), script_(std::move(script)) {}

  WorkPtr _allgather_base(at::Tensor&, at::Tensor& input, const c10d::AllgatherOptions&) override {
    return collective("allgather", (getSize() - 1) * bytes_of(input));
  }

  WorkPtr alltoall_base(at::Tensor& output, at::Tensor&, std::vector<int64_t>&,
                        std::vector<int64_t>&, const c10d::AllToAllOptions&) override {
    return collective("alltoall", bytes_of(output) / getSize() * (getSize() - 1));
  }

  // The names of both in newer releases of c10d.
  WorkPtr all_gather_single(at::Tensor& output, at::Tensor& input,
                            const c10d::AllgatherOptions& options) {
    return _allgather_base(output, input, options);
  }
  WorkPtr all_to_all_single(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& received,
                            std::vector<int64_t>& sent, const c10d::AllToAllOptions& options) {
    return alltoall_base(output, input, received, sent, options);
  }

  WorkPtr send(std::vector<at::Tensor>& tensors, int to, int tag) override {
    return post({Exchange::Kind::send, axis_, to, tag, bytes_of(tensors.front()), "send"});
  }

  WorkPtr recv(std::vector<at::Tensor>& tensors, int from, int tag) override {
    return post({Exchange::Kind::receive, axis_, from, tag, bytes_of(tensors.front()), "recv"});
  }

 private:
  static int64_t bytes_of(const at::Tensor& x) { return x.numel() * x.element_size(); }

  WorkPtr collective(const char* operation, int64_t bytes) {
    return post({Exchange::Kind::collective, axis_, 0, 0, bytes, operation});
  }
  WorkPtr post(const Exchange& exchange) {
    return c10::make_intrusive<ScriptWork>(script_, script_->post(exchange));
  }

  Axis axis_;
  std::shared_ptr<Script> script_;
};

}  // namespace

MeshGroups script_groups(const Mesh& mesh, int rank, std::shared_ptr<Script> script) {
  const auto group = [&](int index, int size, Axis axis) {
    return c10::make_intrusive<ScriptGroup>(index, size, axis, script);
  };
  MeshGroups groups;
  groups.mesh = mesh;
  groups.rank = groups.world_rank = rank;
  groups.world = group(rank, mesh.world(), Axis::ring);
  groups.ring = group(mesh.ring_index(rank), mesh.ring, Axis::ring);
  groups.ulysses = group(mesh.ulysses_index(rank), mesh.ulysses, Axis::ulysses);
  return groups;
}

}  // namespace attncheck::scale
