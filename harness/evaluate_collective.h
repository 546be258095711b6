#pragma once

#include "impl/contract/collective.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// y = A x and, with a cotangent of the DECLARED output shape, the gradient of x: tensors "x", "y",
// "dy", "dx". Phases as in evaluate_implementation.
void evaluate_collective(const Collective& collective, const Request& request,
                         const MeshGroups& groups, RankResult& result, Phase& phase);

}  // namespace attncheck
