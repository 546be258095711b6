#pragma once

#include "impl/contract/model.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// One step of training on this rank: tensors "out", "loss", "replicated NAME", and, unless the
// request runs forward alone, "gradient of NAME". Phases as in evaluate_implementation.
void evaluate_model(const Model& model, const Backend& backend, const Request& request,
                    const MeshGroups& groups, RankResult& result, Phase& phase);

}  // namespace attncheck
