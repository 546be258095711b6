#pragma once

#include <map>
#include <memory>

#include "sim/group.h"

namespace attncheck::sim {

// The groups of a world, made on demand, one per list and name. Used under the baton.
class GroupBook {
 public:
  explicit GroupBook(std::shared_ptr<Mesh> mesh) : mesh_(std::move(mesh)) {}
  // Throws c10::Error if `members` is no proper list of ranks.
  std::shared_ptr<Group> find_or_make(const Members& members);
  // FindingKind::unmatched for everything in flight in any group.
  void report_unmatched() const;
  void reset();

 private:
  void check(const Members& members) const;

  std::shared_ptr<Mesh> mesh_;
  std::map<Members, std::shared_ptr<Group>> groups_;
};

}  // namespace attncheck::sim
