#include "sim/group_book.h"

#include <set>

#include <c10/util/Exception.h>

namespace attncheck::sim {

std::shared_ptr<Group> GroupBook::find_or_make(const Members& members) {
  const auto found = groups_.find(members);
  if (found != groups_.end()) return found->second;
  check(members);
  return groups_[members] = std::make_shared<Group>(mesh_, members);
}

void GroupBook::check(const Members& members) const {
  TORCH_CHECK(members.size() > 0, "sim: a group needs at least one member");
  for (int rank : members.ranks) {
    TORCH_CHECK(rank >= 0 && rank < mesh_->baton.size(), "sim: rank ", rank, " of ", members.text(),
                " is not in a world of ", mesh_->baton.size(), " ranks");
  }
  const std::set<int> distinct(members.ranks.begin(), members.ranks.end());
  TORCH_CHECK(distinct.size() == members.ranks.size(), "sim: ", members.text(),
              " names a rank twice");
}

void GroupBook::report_unmatched() const {
  for (const auto& [members, group] : groups_) group->report_unmatched();
}

void GroupBook::reset() {
  for (auto& [members, group] : groups_) group->reset();
}

}  // namespace attncheck::sim
