#pragma once

#include <string>

#include "harness/registry.h"
#include "impl/contract/mesh_groups.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// One rank's part of a request: makes its shards, calls the subject the way a user would,
// differentiates with autograd, and returns what came. It judges nothing and does not throw: an
// error of the subject is part of the result, with the phase in which it came.
RankResult evaluate_rank(const Registry& registry, const Request& request,
                         const MeshGroups& groups);

// The same from bytes to bytes; what every transport's ranks run. A request that cannot be read is
// an error of phase `supports`.
std::string answer_request(const Registry& registry, const std::string& request,
                           const MeshGroups& groups);

}  // namespace attncheck
