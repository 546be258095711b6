#pragma once

#include "harness/timing/method_times.h"

namespace attncheck::timing {

// Whether the transport's ranks keep diaries: over Gloo on CPUs.
bool counts_bytes(const Transport& transport);

// Fills in what the timed passes of a shape receive, by a pass of each in which the ranks keep a
// diary. Nothing where they keep none, and of callables, which know their groups by name; a pass
// without its bytes is still a time.
void fill_bytes(const Registry& registry, Transport& transport, ShapeTimes& shape);

}  // namespace attncheck::timing
