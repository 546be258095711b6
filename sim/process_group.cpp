#include "sim/process_group.h"

#include <atomic>
#include <string>
#include <utility>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "sim/backend.h"

namespace attncheck::sim {

namespace {

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
