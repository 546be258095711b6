#include "python/core/simulated_ranks.h"

#include <stdexcept>
#include <utility>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "python/core/check_ascending.h"
#include "python/core/entry.h"

namespace attncheck::python {
namespace {

// The rank whose run this thread is in.
sim::RankContext*& rank_here() {
  thread_local sim::RankContext* rank = nullptr;
  return rank;
}

// Otherwise the thread's state, and with it threading.local, would go with the outermost GIL.
void keep_python_state() {
  thread_local bool kept = false;
  if (std::exchange(kept, true)) return;
  PyGILState_Ensure();
  PyEval_SaveThread();
}

class PythonRank final : public sim::RankContext {
 public:
  PythonRank(sim::RankContext& rank, const py::object& world) : rank_(rank), world_(world) {
    rank_here() = &rank;
  }
  ~PythonRank() { rank_here() = nullptr; }

  int rank() const override { return rank_.rank(); }
  int size() const override { return rank_.size(); }
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::vector<int>& members,
                                               const std::string&) override {
    check_ascending(members);
    const Entry python;
    return world_.attr("group")(rank(), size(), members)
        .cast<c10::intrusive_ptr<c10d::ProcessGroup>>();
  }

 private:
  sim::RankContext& rank_;
  const py::object& world_;
};

void wait_without_gil(const std::function<void()>& wait) {
  if (PyGILState_Check() == 0) return wait();
  const py::gil_scoped_release released;
  wait();
}

}  // namespace

RankFrame python_ranks(const py::object& world) {
  const auto run = [&world](sim::RankContext& rank, const RankFrame::Work& work) {
    keep_python_state();
    PythonRank in_python(rank, world);
    work(in_python);
  };
  return {run, wait_without_gil};
}

c10::intrusive_ptr<c10d::Backend> simulated_backend(const std::vector<int>& ranks,
                                                    const std::string& name) {
  sim::RankContext* rank = rank_here();
  if (rank == nullptr) {
    throw std::runtime_error("a group of simulated ranks was asked for by a thread that is none");
  }
  return rank->group(ranks, name)->getBackend(c10::DeviceType::CPU);
}

}  // namespace attncheck::python
