#include "gloo_cpu/group_factory.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "gloo_cpu/group_maker.h"
#include "gloo_cpu/rank_place.h"
#include "gloo_cpu/stores.h"

namespace attncheck::gloo_cpu {
namespace {

// The rank in the group of the rank `self` of the world.
int index_in(const std::vector<int>& members, int self, int world) {
  const std::string name = group_name(members);
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

std::string group_name(const std::vector<int>& members) {
  std::string name = "ranks";
  for (int member : members) name += "_" + std::to_string(member);
  return name;
}

c10::intrusive_ptr<c10d::ProcessGroup> GroupMaker::make(const std::vector<int>& members,
                                                        const GroupParts& parts) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(parts.store, parts.rank, parts.size);
  equip(*group, parts);
  group->setGroupName(group_name(members));
  return group;
}

struct GroupFactory::Parts {
  RankPlace place;
  std::unique_ptr<GroupMaker> maker;
  c10::intrusive_ptr<c10d::Store> store;
  int generation = 0;  // groups of another one meet under other names

  c10::intrusive_ptr<c10d::ProcessGroup> make(const std::vector<int>& members) const {
    GroupParts parts;
    parts.rank = index_in(members, place.rank, place.world);
    parts.size = static_cast<int>(members.size());
    const std::string name = group_name(members) + "/" + std::to_string(generation);
    parts.store = c10::make_intrusive<c10d::PrefixStore>(name, store);
    parts.timeout = place.group_timeout;
    return maker->make(members, parts);
  }
};

GroupFactory::GroupFactory(const RankPlace& place, std::unique_ptr<GroupMaker> maker)
    : parts_(std::make_unique<Parts>()) {
  parts_->place = place;
  parts_->maker = std::move(maker);
  parts_->store = open_store(place.store, place.group_timeout);
}

GroupFactory::~GroupFactory() = default;

int GroupFactory::rank() const {
  return parts_->place.rank;
}
int GroupFactory::size() const {
  return parts_->place.world;
}
c10::Device GroupFactory::device() const {
  return parts_->maker->device();
}

void GroupFactory::renew() {
  groups_.clear();
  trusted_ = true;
  ++parts_->generation;
  parts_->maker->renew();
}

c10::intrusive_ptr<c10d::ProcessGroup> GroupFactory::group(const std::vector<int>& members) {
  auto& group = groups_[members];
  if (!group) group = parts_->make(members);
  return group;
}

}  // namespace attncheck::gloo_cpu
