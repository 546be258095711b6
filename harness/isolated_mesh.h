#pragma once

#include "harness/registry.h"
#include "harness/sim_transport.h"

namespace attncheck {

// What the child of an IsolatedTransport runs: one run of a simulated mesh after another, until its
// parent hangs up. Returns the exit status.
int serve_isolated_mesh(const Registry& registry, RankFrame frame = {});
// Whether this process was started as such a child.
bool is_isolated_mesh();

}  // namespace attncheck
