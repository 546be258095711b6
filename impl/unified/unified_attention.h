#pragma once

#include "impl/autograd/attention_function.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// The pass of one call: the exchanges of Ulysses around a ring's.
AttentionPass unified_pass(const AttentionOptions& options, const MeshGroups& groups);

// "unified": the exchange of Ulysses around a ring (USP). Any mesh: a ring rank has the tokens of
// its Ulysses group, whichever these are.
Implementation unified_implementation();

}  // namespace attncheck
