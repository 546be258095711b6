#pragma once

#include <vector>

#include "harness/registry.h"
#include "harness/timeline/trace.h"
#include "harness/timing/diary.h"
#include "harness/transport.h"

namespace attncheck::timeline {

// Whether the case can be measured: an implementation that takes it on its backend, and shards of
// one length.
Support can_measure(const Registry& registry, const Case& c);

// Of a case that can be measured, by the ranks of the transport. Throws std::runtime_error that
// names the rank which did not answer, or threw.
Trace measured(Transport& transport, const Case& c);

// The same of the ranks' diaries. What a rank neither posted nor waited for it computed. A transfer
// begins when the last of its ranks posted it and ends where the rank that receives had waited for
// it: it may have arrived earlier, and none is seen that nobody waited for.
Trace measured(const Case& c, const std::vector<timing::Diary>& diaries);

}  // namespace attncheck::timeline
