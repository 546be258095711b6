#pragma once

#include <cstdint>
#include <optional>

#include "impl/autograd/attention_function.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// Attention on one rank, q (B, Sq, H, Dqk) to k and v, as a pass that saves q, k, v, out and lse.
AttentionPass local_pass(const Backend* backend, double scale, std::optional<int64_t> diagonal);

// The pass of one call: its exchanges around local_pass.
AttentionPass ulysses_pass(const AttentionOptions& options, const MeshGroups& groups);

// "ulysses": each rank trades its shard of the sequence for a share of the heads, attends, and
// trades back. Meshes 1xU.
Implementation ulysses_implementation();

}  // namespace attncheck
