#pragma once

#include <cstdint>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// Which tokens of the sequence a rank holds, by the layout of the case: the judge's own map, which
// shares nothing with impl/layouts. A sequence of `length` tokens, in `world` shards; contiguous:
// shard w is the w-th run of tokens, the first `length % world` shards one token longer (so that
// cases that a subject must refuse have shards as well).
std::vector<int64_t> shard_positions(const Problem& problem, int64_t length, int world, int rank);

std::vector<int64_t> q_positions(const Case& c, int rank);
std::vector<int64_t> kv_positions(const Case& c, int rank);

// The rank that holds key `position`.
int key_owner(const Case& c, int64_t position);

}  // namespace attncheck
