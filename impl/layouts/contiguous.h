#pragma once

#include <cstdint>
#include <optional>

#include "impl/contract/implementation.h"

namespace attncheck {

// Consecutive positions of a sequence.
struct Shard {
  int64_t offset = 0;
  int64_t length = 0;
};

// What rank `rank` of `ranks` holds of `len` tokens in the contiguous layout. Throws when the ranks
// do not divide the length.
Shard contiguous_shard(int64_t len, int ranks, int rank);

// A query at position p sees a key at position t iff t <= p + diagonal; absent when not causal.
std::optional<int64_t> global_diagonal(const AttentionOptions& options);

// The diagonal of a block whose first query stands at q_offset and whose first key at kv_offset.
std::optional<int64_t> block_diagonal(std::optional<int64_t> global_diagonal, int64_t q_offset,
                                      int64_t kv_offset);

}  // namespace attncheck
