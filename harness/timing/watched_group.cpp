#include "harness/timing/watched_group.h"

#include <utility>

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace attncheck::timing {
namespace {

using Tensors = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;
using Splits = std::vector<int64_t>;

int64_t bytes_of(const at::Tensor& x) {
  return x.numel() * x.element_size();
}

class WatchedWork : public c10d::Work {
 public:
  WatchedWork(WorkPtr work, std::shared_ptr<DiaryKeeper> keeper, size_t exchange)
      : work_(std::move(work)), keeper_(std::move(keeper)), exchange_(exchange) {}

  bool isCompleted() override { return work_->isCompleted(); }
  bool isSuccess() const override { return work_->isSuccess(); }
  std::exception_ptr exception() const override { return work_->exception(); }
  int sourceRank() const override { return work_->sourceRank(); }
  void synchronize() override { wait(kNoTimeout); }
  Tensors result() override { return work_->result(); }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return work_->getFuture(); }

  bool wait(std::chrono::milliseconds timeout) override {
    const double begin = seconds_now();
    const bool done = work_->wait(timeout);
    if (!std::exchange(waited_, true)) keeper_->wait(exchange_, begin);
    return done;
  }

 private:
  WorkPtr work_;
  std::shared_ptr<DiaryKeeper> keeper_;
  size_t exchange_;
  bool waited_ = false;
};

class WatchedBackend : public c10d::Backend {
 public:
  WatchedBackend(c10::intrusive_ptr<c10d::Backend> backend, std::string name,
                 std::vector<int> members, std::shared_ptr<DiaryKeeper> keeper)
      : Backend(backend->getRank(), backend->getSize()),
        backend_(std::move(backend)),
        name_(std::move(name)),
        members_(std::move(members)),
        keeper_(std::move(keeper)) {}

  const std::string getBackendName() const override { return "watched"; }

  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions& options) override {
    return watched("allgather", others() * bytes_of(input),
                   [&] { return backend_->_allgather_base(output, input, options); });
  }

  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, Splits& received, Splits& sent,
                        const c10d::AllToAllOptions& options) override {
    return watched("alltoall", from_others(output, received),
                   [&] { return backend_->alltoall_base(output, input, received, sent, options); });
  }

  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override {
    return watched("allreduce", bytes_of(tensors.at(0)),
                   [&] { return backend_->allreduce(tensors, options); });
  }

  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override {
    return watched("broadcast", bytes_of(tensors.at(0)),
                   [&] { return backend_->broadcast(tensors, options); });
  }

  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                               const c10d::ReduceScatterOptions& options) override {
    return watched("reduce_scatter", others() * bytes_of(output),
                   [&] { return backend_->_reduce_scatter_base(output, input, options); });
  }

  WorkPtr barrier(const c10d::BarrierOptions& options) override {
    return watched("barrier", 0, [&] { return backend_->barrier(options); });
  }

  WorkPtr send(Tensors& tensors, int to, int tag) override {
    return watched({"send", name_, members_.at(to), tag, bytes_of(tensors.at(0))},
                   [&] { return backend_->send(tensors, to, tag); });
  }

  WorkPtr recv(Tensors& tensors, int from, int tag) override {
    return watched({"recv", name_, members_.at(from), tag, bytes_of(tensors.at(0))},
                   [&] { return backend_->recv(tensors, from, tag); });
  }

 private:
  int64_t others() const { return getSize() - 1; }

  // Without lengths all pieces are as long.
  int64_t from_others(const at::Tensor& output, const Splits& lengths) const {
    const int64_t all = bytes_of(output);
    if (lengths.empty()) return all / getSize() * others();
    const int64_t rows = output.size(0);
    return rows == 0 ? 0 : all / rows * (rows - lengths.at(getRank()));
  }

  template <typename Call>
  WorkPtr watched(const char* operation, int64_t bytes, Call call) {
    return watched(Diary::Exchange{operation, name_, -1, 0, bytes}, call);
  }

  template <typename Call>
  WorkPtr watched(const Diary::Exchange& exchange, Call call) {
    const double begin = seconds_now();
    WorkPtr work = call();
    const size_t index = keeper_->post(exchange, begin);
    return c10::make_intrusive<WatchedWork>(std::move(work), keeper_, index);
  }

  c10::intrusive_ptr<c10d::Backend> backend_;
  std::string name_;
  std::vector<int> members_;
  std::shared_ptr<DiaryKeeper> keeper_;
};

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> watched_group(
    const c10::intrusive_ptr<c10d::ProcessGroup>& group, const std::string& name,
    const std::vector<int>& members, std::shared_ptr<DiaryKeeper> keeper) {
  auto watched =
      c10::make_intrusive<c10d::ProcessGroup>(nullptr, group->getRank(), group->getSize());
  const auto kind = c10d::ProcessGroup::BackendType::CUSTOM;
  watched->setDefaultBackend(kind);
  watched->setBackend(c10::DeviceType::CPU, kind,
                      c10::make_intrusive<WatchedBackend>(group->getBackend(c10::DeviceType::CPU),
                                                          name, members, std::move(keeper)));
  return watched;
}

}  // namespace attncheck::timing
