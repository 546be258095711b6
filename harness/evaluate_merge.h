#pragma once

#include <c10/core/Device.h>

#include "impl/contract/merge.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// Whether the case is one of a merge (mesh 1x1, 1 to kMostPartials partials) and the merge does it.
Support supports_merge(const Case& c, const Merge& merge);

// Merges the case's partials, put on the device, along every tree of MergeTrees: tensors "out" (T
// b, q, h, dv) and "lse" (T b, q, h), tree by tree along the batch. Throws what the merge throws,
// and what supports_merge says.
void evaluate_merge(const Merge& merge, const Request& request, RankResult& result,
                    c10::Device device = c10::kCPU);

}  // namespace attncheck
