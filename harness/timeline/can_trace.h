#pragma once

#include "harness/registry.h"
#include "problem/case.h"

namespace attncheck::timeline {

// What every way to a timeline wants of a case: an implementation, and shards of one length.
Support can_trace(const Registry& registry, const Case& c);

}  // namespace attncheck::timeline
