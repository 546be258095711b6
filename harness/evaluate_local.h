#pragma once

#include "impl/contract/backend.h"
#include "impl/contract/support.h"
#include "problem/case.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// What impl=local cannot ask of a backend at all, whatever the backend: a mesh, dropout, a mask.
Support local_limits(const Case& c);

// impl=local: the backend called directly on the whole problem, on one rank, without autograd:
// "raw_lse", "out", "lse" (in the project's form), "dq", "dk", "dv" of those that require grad,
// and the same as "direct_dq", ... Throws what local_limits says.
void evaluate_local(const Backend& backend, const Request& request, RankResult& result,
                    Phase& phase);

}  // namespace attncheck
