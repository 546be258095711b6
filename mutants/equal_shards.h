#pragma once

#include <cstdint>
#include <optional>

#include "impl/ring/ring_call.h"
#include "impl/support/limits.h"

namespace attncheck {

// A subject made of pieces knows equal shards of a contiguous sequence alone, in which a block is a
// whole shard of queries and one of keys. It refuses the rest.
Limits of_equal_shards(Limits limits);

// The diagonal of a block whose first query stands at q_offset and whose first key at kv_offset,
// from that of the whole sequence.
std::optional<int64_t> block_diagonal(std::optional<int64_t> global_diagonal, int64_t q_offset,
                                      int64_t kv_offset);

// The rank's queries q (B, Sq, H, Dqk) and the keys k (B, Skv, Hkv, Dqk) and values v
// (B, Skv, Hkv, Dv) of `owner`, whether any is seen or not.
BackendInputs key_block(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                        const RingCall& call, int owner);

}  // namespace attncheck
