#pragma once

#include "impl/contract/implementation.h"
#include "impl/models/layers.h"
#include "impl/sharding/plan.h"

namespace attncheck {

// The case of a model's attention over tokens of which each rank has so many. What is not causal
// does not ask which; causal attention follows the case's layout. Otherwise heads, head_dim and how
// it runs are those of the model's case; of the built-in implementations it takes ring on meshes
// Rx1, ulysses on 1xU and unified on others.
Case attention_case(const Case& c, const ShardLengths& lengths, bool causal);
Support supports_attention(const Case& attention, const Backend& backend);

// That attention, from shards to shards, in groups that outlive it. On one rank: the backend alone.
AttentionCall sharded_attention(const Case& attention, const Backend& backend,
                                const MeshGroups& groups);

// Attention of each rank's queries to keys that it has as a whole: the backend alone.
AttentionCall own_attention(const Backend& backend, int64_t head_dim);
// Whether the backend takes a rank's part of q_len queries with kv_len keys.
Support supports_own_attention(const Case& c, const Backend& backend);

// How a sequence of so many tokens is dealt out to the ranks, by layout= and shards=.
Sequence sequence_of(const Case& c, int64_t tokens);

HeadSizes head_sizes(const Case& c);

}  // namespace attncheck
