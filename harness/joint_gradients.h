#pragma once

#include "properties/observation.h"
#include "properties/request.h"

namespace attncheck {

// What a caller does with the gradients of tokens that it gave to every rank: dq, dk and dv of
// joint tokens become the sum over the ranks on each of them, those of a companion that runs
// interleaved ("other_dq", ...) as well. Nothing where a rank gave none, or
// one of another shape: that is for a property to judge.
void sum_joint_gradients(const Request& request, Observation& observation);

}  // namespace attncheck
