#include "impl/layouts/blocks.h"

namespace attncheck {
namespace {

int64_t floor_divided(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

// j <= i + n, from o_k + s j <= o_q + s i + diagonal.
std::optional<int64_t> diagonal_between(const Strand& queries, const Strand& keys,
                                        std::optional<int64_t> diagonal) {
  if (!diagonal) return std::nullopt;
  return floor_divided(*diagonal + queries.offset - keys.offset, keys.stride);
}

bool sees_nothing(const Block& block) {
  return block.diagonal && *block.diagonal + block.queries.length <= 0;
}

bool sees_all(const Block& block) {
  return !block.diagonal || *block.diagonal >= block.keys.length - 1;
}

// Neighbouring keys, all of which all queries of the part see, are one block.
void append(std::vector<Block>& blocks, const Block& next) {
  if (blocks.empty() || blocks.back().part != next.part || !sees_all(next) ||
      !sees_all(blocks.back()) ||
      blocks.back().keys.begin + blocks.back().keys.length != next.keys.begin) {
    blocks.push_back(next);
    return;
  }
  blocks.back().keys.length += next.keys.length;
  blocks.back().diagonal.reset();
}

}  // namespace

std::vector<Span> spans_of(const Strands& strands) {
  std::vector<Span> parts;
  int64_t begin = 0;
  for (const Strand& strand : strands) {
    parts.push_back({begin, strand.length});
    begin += strand.length;
  }
  return parts;
}

std::vector<Block> visible_blocks(const Strands& queries, const Strands& keys,
                                  std::optional<int64_t> diagonal) {
  const std::vector<Span> q_spans = spans_of(queries), k_spans = spans_of(keys);
  std::vector<Block> blocks;
  for (size_t i = 0; i < queries.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) {
      const Block block{i, q_spans[i], k_spans[j], diagonal_between(queries[i], keys[j], diagonal)};
      if (!sees_nothing(block)) append(blocks, block);
    }
  }
  return blocks;
}

}  // namespace attncheck
