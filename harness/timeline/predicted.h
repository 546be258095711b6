#pragma once

#include <vector>

#include "harness/registry.h"
#include "harness/scale/timeline.h"
#include "harness/timeline/trace.h"

namespace attncheck::timeline {

// Whether the case can be predicted: an implementation that takes it, and shards of one length.
Support can_predict(const Registry& registry, const Case& c);

// Of a case that can be predicted, in virtual time: see scale::predict.
Trace predicted(const Registry& registry, const Case& c, const scale::Machine& machine);

// The same of one ring's scripts, of which the other rings do copies at the same time.
Trace predicted(const Case& c, const std::vector<scale::Script>& scripts,
                const scale::Machine& machine);

}  // namespace attncheck::timeline
