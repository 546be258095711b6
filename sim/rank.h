#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/group_book.h"
#include "sim/world.h"

namespace attncheck::sim {

// One rank's view, with the process groups that it has asked for.
class Rank final : public RankContext {
 public:
  // `book` outlives the rank.
  Rank(std::shared_ptr<Mesh> mesh, GroupBook& book, int rank);
  ~Rank();

  int rank() const override { return rank_; }
  int size() const override { return mesh_->baton.size(); }
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::vector<int>& members,
                                               const std::string& name) override;

 private:
  std::shared_ptr<Mesh> mesh_;
  GroupBook& book_;
  int rank_;
  std::map<Members, c10::intrusive_ptr<c10d::ProcessGroup>> groups_;
};

}  // namespace attncheck::sim
