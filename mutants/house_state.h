#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// What one call leaves for another: one's backward uses the scale of the last forward, one keeps
// the head_dim of the first call in a group. The state is a rank's own: it is kept by thread.
std::vector<Mutant> house_state_mutants();

}  // namespace attncheck
