#include "gloo_cpu/group_factory.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "gloo_cpu/rank_place.h"

namespace attncheck::gloo_cpu {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr int kNobodyRemovesTheFile = -1;  // the number of workers after which FileStore would

std::string name_of(const std::vector<int>& members) {
  std::string name = "ranks";
  for (int member : members) name += "_" + std::to_string(member);
  return name;
}

// The rank in the group of the rank `self` of the world.
int index_in(const std::vector<int>& members, int self, int world) {
  const std::string name = name_of(members);
  for (int member : members) {
    TORCH_CHECK(member >= 0 && member < world, "group ", name, ": rank ", member,
                " is outside a world of ", world);
  }
  const std::set<int> distinct(members.begin(), members.end());
  TORCH_CHECK(distinct.size() == members.size(), "group ", name, ": ", members.size(),
              " members, but only ", distinct.size(), " distinct ones");
  const auto found = std::find(members.begin(), members.end(), self);
  TORCH_CHECK(found != members.end(), "group ", name, ": rank ", self,
              " asked for a group that it is not in");
  return static_cast<int>(found - members.begin());
}

}  // namespace

struct GroupFactory::Parts {
  RankPlace place;
  c10::intrusive_ptr<c10d::Store> store;
  std::shared_ptr<gloo::transport::Device> device;  // one event loop for all groups

  c10::intrusive_ptr<c10d::ProcessGroup> make(const std::vector<int>& members) const {
    const int rank = index_in(members, place.rank, place.world);
    const int size = static_cast<int>(members.size());
    auto prefixed = c10::make_intrusive<c10d::PrefixStore>(name_of(members), store);
    auto options = c10d::ProcessGroupGloo::Options::create(place.group_timeout);
    options->devices = {device};
    auto backend = c10::make_intrusive<c10d::ProcessGroupGloo>(prefixed, rank, size, options);
    const auto kind = c10d::ProcessGroup::BackendType::GLOO;
    auto group = c10::make_intrusive<c10d::ProcessGroup>(prefixed, rank, size);
    group->setDefaultBackend(kind);
    group->setBackend(c10::DeviceType::CPU, kind, c10::intrusive_ptr<c10d::Backend>(backend));
    group->setGroupName(name_of(members));
    return group;
  }
};

GroupFactory::GroupFactory(const RankPlace& place) : parts_(std::make_unique<Parts>()) {
  parts_->place = place;
  parts_->store = c10::make_intrusive<c10d::FileStore>(place.store, kNobodyRemovesTheFile);
  parts_->store->setTimeout(place.group_timeout);
  parts_->device = c10d::ProcessGroupGloo::createDeviceForHostname(kLoopback);
}

GroupFactory::~GroupFactory() = default;

int GroupFactory::rank() const {
  return parts_->place.rank;
}
int GroupFactory::size() const {
  return parts_->place.world;
}

c10::intrusive_ptr<c10d::ProcessGroup> GroupFactory::group(const std::vector<int>& members) {
  auto& group = groups_[members];
  if (!group) group = parts_->make(members);
  return group;
}

}  // namespace attncheck::gloo_cpu
