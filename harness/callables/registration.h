#pragma once

#include "harness/callables/description.h"
#include "harness/registry.h"

namespace attncheck {

// Adds what is described to the registry, as subjects that only rank processes can call; and the
// command of these, and what a line that runs a case again begins with. Throws BadDescriptions for
// a name that `impl=` would read as something else.
void add_callables(Registry& registry, const CallableDescriptions& all);

// One of them, with functions to call: what a rank process does.
void add_callable(Registry& registry, const CallableDescription& callable, Implementation subject);
void add_callable(Registry& registry, Backend backend);

}  // namespace attncheck
