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

// What a rank holds: its shard, and joint tokens before or behind it.
std::vector<int64_t> q_positions(const Case& c, int rank);
std::vector<int64_t> kv_positions(const Case& c, int rank);

// Whether a token of `length` is a joint one.
bool is_joint(const Problem& problem, int64_t length, int64_t position);

// Of a joint token, which all ranks hold, one rank has the cotangent of its output, and is named
// where a token has one owner: they take turns.
bool owns_query(const Case& c, int rank, int64_t position);  // one that the rank holds
// The rank that holds key `position`, or that it is said to be of.
int key_owner(const Case& c, int64_t position);

}  // namespace attncheck
