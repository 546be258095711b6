#pragma once

#include <cstdint>
#include <optional>

#include "impl/autograd/attention_function.h"
#include "impl/contract/implementation.h"
#include "impl/ulysses/head_exchange.h"

namespace attncheck {

// Attention on one rank, q (B, Sq, H, Dqk) to k and v, as a pass that saves q, k, v, out and lse.
// The mask is undefined, or broadcastable to (B, H, Sq, Skv).
AttentionPass local_pass(const Backend* backend, double scale, std::optional<int64_t> diagonal,
                         const at::Tensor& mask = {});
// The same of all tokens of the sequence, in their order: what the options say of their places, and
// their mask, of four axes.
AttentionPass whole_pass(const AttentionOptions& options);

// The pass of one call: its exchanges around whole_pass. The mask has four axes, for the rank's own
// queries and all heads. H and Hkv must be multiples of the group's size: the pass's forward throws
// c10::Error otherwise, on every rank alike, from the first exchange that cannot be cut. (The
// implementation takes any heads: HeadSlots fills them up to multiples.)
AttentionPass ulysses_pass(const AttentionOptions& options, const MeshGroups& groups);
// The same with an attention and with exchanges of one's own, in place of those of the next two.
AttentionPass ulysses_pass(AttentionPass whole, HeadTrades trades, const AttentionOptions& options,
                           const MeshGroups& groups);

// What the pass tells whole_pass: the options with the mask of the whole sequence, for the rank's
// share of the heads. Every rank of the group calls it, as it does ulysses_pass. The exchanges are
// group_trades.
AttentionOptions options_of_group(const AttentionOptions& options, const MeshGroups& groups);

// "ulysses": each rank trades its shard of the sequence for a share of the heads, attends, and
// trades back. Meshes 1xU.
Implementation ulysses_implementation();

}  // namespace attncheck
