#pragma once

#include <c10/core/Device.h>

#include "impl/contract/backend.h"
#include "impl/contract/support.h"
#include "problem/case.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// Whether impl=local can ask a case of the backend: no mesh, dropout or mask whatever the backend,
// a log-sum-exp if it returns one, and what the backend itself supports.
Support supports_local(const Case& c, const Backend& backend);

// impl=local: the backend called directly on the whole problem, on one rank, without autograd:
// "raw_lse", "out", "lse" (in the project's form), "dq", "dk", "dv" of those that require grad,
// and the same as "direct_dq", ...; inputs are put on the device first. The facts "kernel_return"
// (kernel_return.h) and "kernel_aux". A request with key_blocks asks for the blocks one by one
// (evaluate_blocks.h). Where the case's tensors are views, so is the log-sum-exp that backward is
// given. Throws what supports_local says.
void evaluate_local(const Backend& backend, const Request& request, RankResult& result,
                    Phase& phase, c10::Device device = c10::kCPU);

}  // namespace attncheck
