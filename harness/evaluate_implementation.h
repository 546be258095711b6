#pragma once

#include "impl/contract/implementation.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// Calls the implementation on this rank's shards and differentiates it. Fills `result` as it goes,
// and keeps `phase` where it is, so that a throw leaves both true.
void evaluate_implementation(const Implementation& implementation, const Backend& backend,
                             const Request& request, const MeshGroups& groups, RankResult& result,
                             Phase& phase);

}  // namespace attncheck
