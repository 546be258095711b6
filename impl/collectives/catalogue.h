#pragma once

#include <vector>

#include "impl/contract/collective.h"

namespace attncheck {

// The differentiable collectives as subjects. R x U ranks, W = R U; sizes are the case's b, q, h,
// d.
//   seq_all_to_all   Ulysses group: (B, S/W, H, D) -> (B, S/R, H/U, D), scatters heads
//   head_all_to_all  Ulysses group: (B, S/R, H/U, D) -> (B, S/W, H, D), the inverse
//   all_gather       world:         (B, S/W, H, D) -> (B, S, H, D)
//   ring_shift       ring group:    (B, S/W, H, D) -> the same of the previous rank of the ring
std::vector<Collective> built_in_collectives();

}  // namespace attncheck
