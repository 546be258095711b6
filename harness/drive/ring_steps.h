#pragma once

#include <optional>
#include <string>

#include "harness/drive/provenance.h"
#include "properties/observation.h"

namespace attncheck {

// How keys go round a ring, as a run of the forward pass showed: in step s every rank has those of
// the ring rank s places before it, or behind it.
struct RingSteps {
  Mesh mesh;
  bool from_before = true;  // each rank receives from the one before it
  // False where the transport does not see messages, or where they are not those of a ring, as
  // where keys are gathered: steps are then places, from a rank back to that of the keys.
  bool seen = true;

  // The step in which the queries of a rank meet the keys of a shard, 0 to ring degree - 1.
  int step(int query_rank, int key_shard) const;
};

// Messages are those of a ring where each rank receives from one other rank alone, and that is its
// neighbour on the same side for all. Nothing where the ring degree is 1.
std::optional<RingSteps> ring_steps(const Case& c, const Observation& forward);

// "the first wrong step of the ring (0 to 2): out 1, dK 0": for each matrix the first in which a
// contribution goes wrong; of unseen steps "keys are not seen to go round; wrong from so many ring
// ranks back (0 to 2): out 1, dK 0". Empty where none does.
std::string first_wrong_steps(const RingSteps& steps, const Provenance& provenance);

}  // namespace attncheck
