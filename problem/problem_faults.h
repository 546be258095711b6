#pragma once

#include <string>
#include <vector>

#include "problem/problem.h"

namespace attncheck {

// What is wrong with a problem whoever is to compute it: a sentence for each
// fault, which says what came, what was expected and what to do. Empty: nothing.

// Heads that the KV heads do not divide; sequences without a token.
std::vector<std::string> size_faults(const Problem& problem);

// `shards` on so many ranks: a length for each, none negative, of a contiguous sequence of q_len or
// kv_len tokens.
std::vector<std::string> shard_faults(const Problem& problem, int ranks);

// A window of less than nothing; documents that do not fill the sequences.
std::vector<std::string> place_faults(const Problem& problem);

// Joint tokens without a place, or among tokens that see each other by their places.
std::vector<std::string> joint_faults(const Problem& problem);

}  // namespace attncheck
