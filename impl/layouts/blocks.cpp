#include "impl/layouts/blocks.h"

#include <algorithm>

namespace attncheck {
namespace {

int64_t floor_divided(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

int64_t ceil_divided(int64_t a, int64_t b) {
  return -floor_divided(-a, b);
}

// j <= i + n, from o_k + s j <= o_q + s i + diagonal.
std::optional<int64_t> diagonal_between(const Strand& queries, const Strand& keys,
                                        std::optional<int64_t> diagonal) {
  if (!diagonal) return std::nullopt;
  return floor_divided(*diagonal + queries.offset - keys.offset, keys.stride);
}

// j >= i + n, from o_k + s j >= o_q + s i + lower.
std::optional<int64_t> lower_between(const Strand& queries, const Strand& keys,
                                     std::optional<int64_t> lower) {
  if (!lower) return std::nullopt;
  return ceil_divided(*lower + queries.offset - keys.offset, keys.stride);
}

bool sees_nothing(const Block& block) {
  return (block.diagonal && *block.diagonal + block.queries.length <= 0) ||
         (block.lower && *block.lower >= block.keys.length);
}

bool sees_all(const Block& block) {
  return (!block.diagonal || *block.diagonal >= block.keys.length - 1) &&
         (!block.lower || *block.lower <= 1 - block.queries.length);
}

int64_t document_of(const Strand& strand, const std::vector<int64_t>& documents) {
  int64_t end = 0, number = 0;
  for (const int64_t length : documents) {
    end += length;
    if (strand.offset < end) return number;
    ++number;
  }
  return number;
}

// The tokens of the strand at positions begin .. end.
Strand within(const Strand& strand, int64_t begin, int64_t end) {
  const auto place_of = [&](int64_t position) {
    const int64_t place = ceil_divided(position - strand.offset, strand.stride);
    return std::clamp<int64_t>(place, 0, strand.length);
  };
  const int64_t first = place_of(begin);
  return {strand.offset + first * strand.stride, strand.stride, place_of(end) - first};
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
  last.lower.reset();
  return true;
}

// Queries and keys of two strands each, that lie one behind the other on both sides: where the
// first queries see the first keys under a diagonal, the second ones all of these and the second
// keys under the same, that is one diagonal of all of them. A zigzag shard and its own keys are so.
std::optional<Block> one_diagonal(const Block& first, const Block& below, const Block& second) {
  const int64_t rows = first.queries.length, columns = first.keys.length;
  if (!first.diagonal || !second.diagonal || !sees_all(below)) return std::nullopt;
  if (first.lower || below.lower || second.lower) return std::nullopt;
  const bool in_place = same(first.keys, below.keys) && same(below.queries, second.queries) &&
                        continues(first.queries, below.queries) &&
                        continues(below.keys, second.keys);
  const int64_t diagonal = *first.diagonal;
  const bool first_sees_no_second = rows - 1 + diagonal < columns;
  const bool second_sees_all_first = columns - 1 <= rows + diagonal;
  const bool continued = *second.diagonal == diagonal + rows - columns;
  if (!in_place || !first_sees_no_second || !second_sees_all_first || !continued) {
    return std::nullopt;
  }
  Block whole = first;
  whole.queries.length += second.queries.length;
  whole.keys.length += second.keys.length;
  return whole;
}

void append(std::vector<Block>& blocks, const Block& next) {
  if (!blocks.empty() && joins(blocks.back(), next)) return;
  blocks.push_back(next);
  const size_t count = blocks.size();
  if (count < 3) return;
  const auto whole = one_diagonal(blocks[count - 3], blocks[count - 2], blocks[count - 1]);
  if (!whole) return;
  blocks.resize(count - 2);
  blocks.back() = *whole;
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

Strands cut_at_documents(const Strands& strands, const std::vector<int64_t>& documents) {
  if (documents.empty()) return strands;
  Strands pieces;
  for (const Strand& strand : strands) {
    int64_t begin = 0;
    for (const int64_t length : documents) {
      const Strand piece = within(strand, begin, begin + length);
      if (piece.length > 0) pieces.push_back(piece);
      begin += length;
    }
  }
  return pieces;
}

std::vector<Block> visible_blocks(const Strands& queries, const Strands& keys,
                                  std::optional<int64_t> diagonal) {
  return visible_blocks(queries, keys, Visibility{{std::nullopt, diagonal}, {}});
}

std::vector<Block> visible_blocks(const Strands& queries, const Strands& keys,
                                  const Visibility& visibility) {
  const auto& [band, documents] = visibility;
  const auto separate = [&](const Strand& a, const Strand& b) {
    return !documents.empty() && document_of(a, documents) != document_of(b, documents);
  };
  const std::vector<Span> q_spans = spans_of(queries), k_spans = spans_of(keys);
  std::vector<Block> blocks;
  for (size_t i = 0; i < queries.size(); ++i) {
    std::vector<Block> of_strand;  // its neighbouring keys are joined before its queries are
    for (size_t j = 0; j < keys.size(); ++j) {
      if (separate(queries[i], keys[j])) continue;
      const Block block{q_spans[i],
                        k_spans[j],
                        diagonal_between(queries[i], keys[j], band.upper),
                        lower_between(queries[i], keys[j], band.lower),
                        {}};
      if (!sees_nothing(block)) append(of_strand, block);
    }
    for (const Block& block : of_strand) append(blocks, block);
  }
  return blocks;
}

}  // namespace attncheck
