#include "python/core/python_groups.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "gloo_cpu/stores.h"
#include "python/core/check_ascending.h"
#include "python/core/entry.h"

namespace attncheck::python {
namespace {

class PythonGroups : public gloo_cpu::GroupMaker {
 public:
  PythonGroups(const gloo_cpu::RankPlace& place, const py::object& world) : world_(world) {
    const double seconds = std::chrono::duration<double>(place.group_timeout).count();
    const c10::intrusive_ptr<c10d::Store> store =
        gloo_cpu::open_store(place.store, place.group_timeout);
    world_.attr("enter")(place.rank, place.world, store, seconds, place.network);
  }

  c10::Device device() const override { return at::kCPU; }

  c10::intrusive_ptr<c10d::ProcessGroup> make(const std::vector<int>& members,
                                              const gloo_cpu::GroupParts&) override {
    check_ascending(members);
    const Entry python;
    return world_.attr("group")(members).cast<c10::intrusive_ptr<c10d::ProcessGroup>>();
  }
  void renew() override {
    const Entry python;
    world_.attr("renew")();
  }
  void equip(c10d::ProcessGroup&, const gloo_cpu::GroupParts&) override {}

 private:
  const py::object& world_;  // lives as long as the process
};

}  // namespace

std::unique_ptr<gloo_cpu::GroupMaker> python_groups(const gloo_cpu::RankPlace& place,
                                                    const py::object& world) {
  const py::gil_scoped_acquire gil;
  return std::make_unique<PythonGroups>(place, world);
}

}  // namespace attncheck::python
