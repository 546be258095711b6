#include "sim/rank.h"

#include <utility>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "sim/process_group.h"

namespace attncheck::sim {

Rank::Rank(std::shared_ptr<Mesh> mesh, GroupBook& book, int rank)
    : mesh_(std::move(mesh)), book_(book), rank_(rank) {}

Rank::~Rank() = default;

c10::intrusive_ptr<c10d::ProcessGroup> Rank::group(const std::vector<int>& ranks,
                                                   const std::string& name) {
  mesh_->require_turn(rank_);
  const Members members{ranks, name};
  const auto found = groups_.find(members);
  if (found != groups_.end()) return found->second;
  const int position = members.group_rank(rank_);
  TORCH_CHECK(position >= 0, "sim: rank ", rank_, " asks for ", members.text(),
              ", of which it is no member");
  return groups_[members] = make_process_group(book_.find_or_make(members), position);
}

}  // namespace attncheck::sim
