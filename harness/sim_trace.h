#pragma once

#include "harness/placement.h"
#include "properties/trace.h"
#include "sim/trace.h"

namespace attncheck {

// What the simulated mesh saw of one rank, with the ranks of the mesh for those of the world.
RankTrace translated(const sim::RankTrace& trace, const Placement& placement);

}  // namespace attncheck
