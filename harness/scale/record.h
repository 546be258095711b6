#pragma once

#include "harness/registry.h"
#include "harness/scale/script.h"
#include "problem/case.h"

namespace attncheck::scale {

// Whether `record` can be asked: what the case's implementation says on a kernel that does all.
Support supports(const Registry& registry, const Case& c);

// What a rank of the case's mesh does in one forward and backward pass of its implementation, which
// runs on tensors without data: the real code, at any size. The case's backend is not asked.
Script record(const Registry& registry, const Case& c, int rank);

}  // namespace attncheck::scale
