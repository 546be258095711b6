#pragma once

#include "impl/contract/backend.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// impl=local: the backend called directly on the whole problem, on one rank, without autograd:
// "raw_lse", "out", "lse" (in the project's form), "direct_dq", "direct_dk", "direct_dv".
void evaluate_local(const Backend& backend, const Request& request, RankResult& result,
                    Phase& phase);

}  // namespace attncheck
