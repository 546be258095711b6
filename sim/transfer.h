#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/baton.h"
#include "sim/contribution.h"
#include "sim/journal.h"

namespace attncheck::sim {

// Where the chunks of a transfer go.
struct Destination {
  std::vector<void*> starts;  // one for all chunks, or one per peer; none for a barrier or a send
  Chunks chunks;              // how the one buffer is cut; unused with one per peer
  size_t element_size = 0;    // bytes

  // Where the chunk of `peer` (group rank) starts.
  void* chunk(int peer) const;
};

// One exchange in flight: a collective round, or a message. Inputs were copied when they were
// posted; outputs are written by `deliver`, at the time the rank waits, and at no other time.
class Transfer : public Pending {
 public:
  // "allgather #3 of group [0,1]"; `describe` adds what is missing.
  virtual std::string operation(int rank) const = 0;
  // The copy of what that rank posted, one input after another.
  virtual const std::byte* posted(int rank) const = 0;
  // Once `ready(rank)`: writes the outputs of that rank (of the world) and says in the journal what
  // it got from whom, or throws what went wrong (c10::DistBackendError that names both sides).
  virtual void deliver(int rank, const Destination& to, Journal& journal) = 0;
};

// Copies `count` elements; also right for none.
void copy_elements(void* to, const void* from, int64_t count, c10::ScalarType dtype);

}  // namespace attncheck::sim
