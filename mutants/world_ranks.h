#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Right where the mesh is the whole launched world. C7 takes its rank in that world for its rank in
// the ring's group, C8 takes the ranks of its groups to be consecutive ones of that world.
std::vector<Mutant> world_rank_mutants();

}  // namespace attncheck
