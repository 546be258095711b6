#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/layouts/strands.h"

namespace attncheck {

// Neighbours in a shard, by their places in it.
struct Span {
  int64_t begin = 0;
  int64_t length = 0;
};

// One call of a kernel: some neighbouring queries of a shard and some neighbouring keys of another.
struct Block {
  Span queries, keys;  // the queries of one strand, or of several that see all of the keys
  std::optional<int64_t> diagonal;  // key j of the block is seen by query i iff j <= i + *diagonal
};

// Where in a shard its strands lie.
std::vector<Span> spans_of(const Strands& strands);

// The blocks in which some query sees some key, strand of the queries by strand. The strands,
// none empty, all have one stride; `diagonal` is that of the whole sequence, absent when not
// causal.
std::vector<Block> visible_blocks(const Strands& queries, const Strands& keys,
                                  std::optional<int64_t> diagonal);

}  // namespace attncheck
