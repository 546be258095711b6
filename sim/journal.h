#pragma once

#include <string>
#include <vector>

#include "sim/contribution.h"
#include "sim/trace.h"

namespace attncheck::sim {

// What the mesh sees of its ranks in one run. Belongs to whoever holds the baton; read by the
// coordinator after the run.
class Journal {
 public:
  explicit Journal(int size);

  void start_run();
  // Keeps the first 20 findings of a rank: a loop that is broken cannot fill the memory.
  void add(FindingKind kind, int rank, std::string operation, std::string text);
  void forget(FindingKind kind, int rank);

  // `rank` got so many bytes of `peer`, both of the world. What has no bytes, and what a rank gets
  // from itself, does not count.
  void receive(int rank, int peer, Kind kind, int64_t bytes) {
    if (bytes == 0 || rank == peer) return;
    Count& count = counts_of(rank, kind)[peer];
    count.bytes += bytes;
    ++count.messages;
  }

  // Sums up what was received.
  void end_run();
  // By rank; complete after `end_run`.
  const std::vector<RankTrace>& traces() const { return traces_; }

 private:
  struct Count {
    int64_t bytes = 0;
    int64_t messages = 0;
  };
  // By peer; empty until a rank first receives by that kind of operation.
  std::vector<Count>& counts_of(int rank, Kind kind) {
    auto& counts = counts_[rank * kKinds + static_cast<int>(kind)];
    if (counts.empty()) counts.resize(traces_.size());
    return counts;
  }
  void sum_up(int rank);

  std::vector<RankTrace> traces_;
  std::vector<std::vector<Count>> counts_;
};

}  // namespace attncheck::sim
