#include "sim/mesh.h"

#include <string>

#include <c10/util/Exception.h>

namespace attncheck::sim {

CurrentRank& current_rank() {
  thread_local CurrentRank current;
  return current;
}

Mesh::Mesh(int size) : baton(size), pool(std::make_shared<BufferPool>()), journal(size) {
  for (int rank = 0; rank < size; ++rank) in_flight.emplace_back(rank, journal);
}

void Mesh::start_run(const RunOptions& how) {
  options = how;
  ++run;
  baton.show_turns(how.turn);
  baton.wait_in(how.around_wait);
  journal.start_run();
}

void Mesh::require_turn(int rank) const {
  const CurrentRank& current = current_rank();
  TORCH_CHECK(current.mesh == this && current.rank == rank, "a process group of simulated rank ",
              rank, " was used ",
              current.mesh == nullptr
                  ? std::string("from a thread that is no rank of a running world")
              : current.mesh != this ? std::string("from a rank of another world")
                                     : "by rank " + std::to_string(current.rank),
              "; every rank uses its own, on its own thread, while the world runs");
}

}  // namespace attncheck::sim
