#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// C9: every rank of the ring sends, waits for its send, and only then posts its receive. It runs
// as long as the transport buffers what is sent.
Mutant sends_before_it_receives();

}  // namespace attncheck
