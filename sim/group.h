#pragma once

#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "sim/channel.h"
#include "sim/members.h"
#include "sim/mesh.h"
#include "sim/round.h"

namespace attncheck::sim {

// One communicator: all exchanges in flight between its members. The one place where they are
// posted. Ranks are group ranks here, except in the name of a function that says world.
class Group {
 public:
  Group(std::shared_ptr<Mesh> mesh, Members members);

  const Members& members() const { return *members_; }
  int size() const { return members_->size(); }
  int world_rank(int group_rank) const { return members_->ranks[group_rank]; }
  Mesh& mesh() const { return *mesh_; }
  // Collectives that this member has posted in this run.
  int64_t posted(int group_rank) const { return posted_[group_rank]; }

  // Posts and returns at once; `deliver` on what is returned belongs to that member alone.
  std::shared_ptr<Transfer> post(int group_rank, Contribution part);
  std::shared_ptr<Transfer> send(int from, int to, int tag, MessageSide side, Buffer data);
  std::shared_ptr<Transfer> receive(int from, int to, int tag, MessageSide side);

  // FindingKind::unmatched for everything in flight that lacks a side.
  void report_unmatched() const;
  // Forgets everything in flight, so that no run sees what another left.
  void reset();

 private:
  std::shared_ptr<Round> round_of(int64_t index);
  void drop_complete_rounds();
  Channel& channel(int from, int to, int tag);
  Route route(int from, int to, int tag) const;

  std::shared_ptr<Mesh> mesh_;
  std::shared_ptr<const Members> members_;
  std::vector<int64_t> posted_;
  std::deque<std::shared_ptr<Round>> rounds_;  // not yet posted by everybody
  int64_t first_round_ = 0;                    // the index of rounds_.front()
  std::map<std::tuple<int, int, int>, Channel> channels_;
};

}  // namespace attncheck::sim
