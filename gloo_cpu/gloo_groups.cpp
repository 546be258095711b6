#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "gloo_cpu/group_maker.h"
#include "gloo_cpu/host_staging.h"
#include "gloo_cpu/rank_place.h"

namespace attncheck::gloo_cpu {
namespace {

std::shared_ptr<gloo::transport::Device> network_of(const std::string& network) {
  if (network.empty()) return c10d::ProcessGroupGloo::createDefaultDevice();
  constexpr std::string_view kInterface = "interface:";
  if (!network.starts_with(kInterface)) {
    return c10d::ProcessGroupGloo::createDeviceForHostname(network);
  }
  return c10d::ProcessGroupGloo::createDeviceForInterface(network.substr(kInterface.size()));
}

class GlooGroups : public GroupMaker {
 public:
  GlooGroups(const RankPlace& place, c10::Device device)
      : device_(device), network_(network_of(place.network)) {}

  c10::Device device() const override { return device_; }

  void equip(c10d::ProcessGroup& group, const GroupParts& parts) override {
    auto options = c10d::ProcessGroupGloo::Options::create(parts.timeout);
    options->devices = {network_};
    const c10::intrusive_ptr<c10d::Backend> gloo =
        c10::make_intrusive<c10d::ProcessGroupGloo>(parts.store, parts.rank, parts.size, options);
    const auto kind = c10d::ProcessGroup::BackendType::GLOO;
    group.setDefaultBackend(kind);
    group.setBackend(c10::DeviceType::CPU, kind, gloo);
    if (device_.is_cpu()) return;
    group.setBackend(device_.type(), c10d::ProcessGroup::BackendType::CUSTOM,
                     c10::make_intrusive<HostStaging>(gloo));
  }

 private:
  c10::Device device_;
  std::shared_ptr<gloo::transport::Device> network_;  // one event loop for all groups
};

}  // namespace

std::unique_ptr<GroupMaker> gloo_groups(const RankPlace& place, c10::Device device) {
  return std::make_unique<GlooGroups>(place, device);
}

}  // namespace attncheck::gloo_cpu
