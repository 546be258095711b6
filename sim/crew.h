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
  const std::vector<RankTrace>& trace() const { return trace_; }

 private:
  void start_threads(int size);
  void live(int rank);

  std::shared_ptr<Mesh> mesh_;
  GroupBook book_;
  int core_;
  const Work* work_ = nullptr;
  Errors errors_;
  std::vector<RankTrace> trace_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::thread> threads_;
};

}  // namespace attncheck::sim
