#pragma once

#include "impl/allgather_kv/gather_call.h"
#include "impl/autograd/attention_function.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// Forward and backward as a pass that saves q, k, v, out and lse: the backward gathers the keys
// once more rather than hold those of all ranks in between.
AttentionPass allgather_kv_pass(const GatherCall& call);

// "allgather_kv": the sequence is sharded over R ranks; each gathers all keys and values at once,
// attends with its own queries, and the keys' gradients are summed home. Meshes Rx1.
Implementation allgather_kv_implementation();

}  // namespace attncheck
