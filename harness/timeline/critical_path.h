#pragma once

#include <vector>

#include "harness/timeline/trace.h"

namespace attncheck::timeline {

// The chain of work that set the time of a trace, from its begin to its end: whatever of it is made
// shorter makes the whole shorter. Backwards from the rank that ends last: where it computed or
// posted it was its own; where it waited, what it waited for had been on its way since the last of
// its ranks posted it (a transfer, of the rank that waited, which may have queued behind others),
// and before that the chain is the one of that rank.
std::vector<Span> critical_path(const Trace& trace);

}  // namespace attncheck::timeline
