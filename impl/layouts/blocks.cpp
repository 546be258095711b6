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

bool same(const Span& a, const Span& b) {
  return a.begin == b.begin && a.length == b.length;
}

bool continues(const Span& first, const Span& next) {
  return first.begin + first.length == next.begin;
}

// Neighbouring keys that the same queries see are one block, and so are neighbouring queries that
// see the same keys, where all of them see all.
bool joins(Block& last, const Block& next) {
  if (!sees_all(last) || !sees_all(next)) return false;
  if (same(last.queries, next.queries) && continues(last.keys, next.keys)) {
    last.keys.length += next.keys.length;
  } else if (same(last.keys, next.keys) && continues(last.queries, next.queries)) {
    last.queries.length += next.queries.length;
  } else {
    return false;
  }
  last.diagonal.reset();
  return true;
}

void append(std::vector<Block>& blocks, const Block& next) {
  if (blocks.empty() || !joins(blocks.back(), next)) blocks.push_back(next);
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
    std::vector<Block> of_strand;  // its neighbouring keys are joined before its queries are
    for (size_t j = 0; j < keys.size(); ++j) {
      const Block block{q_spans[i], k_spans[j], diagonal_between(queries[i], keys[j], diagonal)};
      if (!sees_nothing(block)) append(of_strand, block);
    }
    for (const Block& block : of_strand) append(blocks, block);
  }
  return blocks;
}

}  // namespace attncheck
