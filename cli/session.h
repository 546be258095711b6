#pragma once

#include "harness/run_lab.h"

namespace attncheck::cli {

// A lab on every transport that is built in. Ranks are started when a case first needs them; Gloo's
// are this program again, as `attncheck rank`.
RunLab make_lab(const Registry& registry);

// Throws UsageError when the case names a subject, backend or transport that is not there, or a
// mesh that the transport cannot carry.
void require_runnable(const Registry& registry, const RunLab& lab, const Case& c);

}  // namespace attncheck::cli
