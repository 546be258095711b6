#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sim/group_book.h"
#include "sim/rank.h"
#include "sim/world.h"

namespace attncheck::sim {

// The threads behind a World.
class Crew {
 public:
  using Work = std::function<void(RankContext&)>;
  using Errors = std::vector<std::optional<std::string>>;

  Crew(int size, int core);
  ~Crew();

  int size() const { return mesh_->baton.size(); }
  int core() const { return core_; }
  Errors run(const Work& work, Schedule& schedule, const RunOptions& options);
  const std::vector<RankTrace>& trace() const { return mesh_->journal.traces(); }
  bool waited_in_vain(int rank) const { return mesh_->baton.waited_in_vain(rank); }

 private:
  void start_threads(int size);
  void live(int rank);
  // Once a run: at its end, or when a deadlock is found, before its ranks hear of it. Says nothing
  // where a rank failed by itself.
  void report_unmatched();

  std::shared_ptr<Mesh> mesh_;
  GroupBook book_;
  int core_;
  const Work* work_ = nullptr;
  Errors errors_;
  bool unmatched_reported_ = false;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::thread> threads_;
};

}  // namespace attncheck::sim
