#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/layouts/strands.h"

namespace attncheck {

// Neighbours in a shard, by their places in it.
struct Span {
  int64_t begin = 0;
  int64_t length = 0;
};

// One call of a kernel: some neighbouring queries of a shard and some neighbouring keys of another.
struct Block {
  Span queries, keys;  // of one strand, or of several where one diagonal says what is seen
  // Key j of the block is seen by query i only if j <= i + *diagonal, and j >= i + *lower.
  std::optional<int64_t> diagonal, lower;
  // What else hides keys, `lower` among it, for a kernel that knows a diagonal alone: see
  // block_masks.h. Undefined: nothing.
  at::Tensor mask;
};

// Where in a shard its strands lie.
std::vector<Span> spans_of(const Strands& strands);

// The same tokens in the same order, cut where a document ends: no strand has tokens of two.
Strands cut_at_documents(const Strands& strands, const std::vector<int64_t>& documents);

// The blocks in which some query sees some key, strand of the queries by strand. The strands,
// none empty, all have one stride, and are cut at the documents; `visibility` is that of the whole
// sequence. The blocks' masks stay undefined.
std::vector<Block> visible_blocks(const Strands& queries, const Strands& keys,
                                  const Visibility& visibility);
// With a diagonal alone; absent: every query sees every key.
std::vector<Block> visible_blocks(const Strands& queries, const Strands& keys,
                                  std::optional<int64_t> diagonal);

}  // namespace attncheck
