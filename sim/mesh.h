#pragma once

#include <memory>
#include <vector>

#include "sim/baton.h"
#include "sim/buffer_pool.h"
#include "sim/flight.h"
#include "sim/journal.h"
#include "sim/world.h"

namespace attncheck::sim {

// What the ranks of a world share. Outlives the world if somebody keeps a process group.
struct Mesh {
  explicit Mesh(int size);

  // Coordinator.
  void start_run(const RunOptions& how);
  // Throws unless the calling thread is that rank's own, at its turn.
  void require_turn(int rank) const;

  // Whether a send of so many bytes ends without its receive.
  bool buffers(int64_t bytes) const {
    return options.send_buffer > 0 && bytes <= options.send_buffer;
  }

  Baton baton;
  std::shared_ptr<BufferPool> pool;
  Journal journal;
  std::vector<Flights> in_flight;  // by rank
  RunOptions options;              // of this run
  int64_t run = 0;                 // counts the runs
};

// The rank whose thread this is, and its mesh; {nullptr, -1} on every other thread.
struct CurrentRank {
  Mesh* mesh = nullptr;
  int rank = -1;
};
CurrentRank& current_rank();

}  // namespace attncheck::sim
