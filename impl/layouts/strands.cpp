#include "impl/layouts/strands.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace attncheck {
namespace {

// Run `index` of `runs` near-equal ones of `len` tokens.
Strand near_equal_run(int64_t len, int64_t runs, int64_t index) {
  const int64_t length = len / runs, longer = len % runs;
  return {index * length + std::min(index, longer), 1, length + (index < longer ? 1 : 0)};
}

Strand contiguous_run(const TokenSplit& split, int64_t len, int rank) {
  const auto first = split.shards.begin();
  if (split.shards.empty() || std::accumulate(first, split.shards.end(), int64_t{0}) != len) {
    return near_equal_run(len, split.ranks, rank);
  }
  return {std::accumulate(first, first + rank, int64_t{0}), 1, split.shards.at(rank)};
}

// Of `len` tokens dealt out one by one.
Strand stripe(int64_t len, int64_t ranks, int64_t rank) {
  return {rank, ranks, len > rank ? (len - rank + ranks - 1) / ranks : 0};
}

}  // namespace

TokenSplit token_split(const AttentionOptions& options, const Mesh& mesh) {
  return {options.layout, mesh.world(), options.shards};
}

Strands held_tokens(const TokenSplit& split, int64_t len, int rank) {
  const int64_t runs = 2 * int64_t{split.ranks};
  switch (split.layout) {
    case Layout::contiguous:
      return {contiguous_run(split, len, rank)};
    case Layout::zigzag:
      return {near_equal_run(len, runs, rank), near_equal_run(len, runs, runs - 1 - rank)};
    case Layout::striped:
      return {stripe(len, split.ranks, rank)};
  }
  return {};
}

Strands group_tokens(const TokenSplit& split, int64_t len, const Mesh& mesh, int ring_index) {
  Strands all;
  for (int index = 0; index < mesh.ulysses; ++index) {
    const Strands held = held_tokens(split, len, mesh.rank(ring_index, index));
    all.insert(all.end(), held.begin(), held.end());
  }
  return all;
}

int64_t token_count(const Strands& strands) {
  int64_t count = 0;
  for (const Strand& strand : strands) count += strand.length;
  return count;
}

Strands tokens_anywhere(int64_t count) {
  return count == 0 ? Strands{} : Strands{{0, 1, count}};
}

std::vector<int64_t> unless_alike(std::vector<int64_t> lengths) {
  const auto same = std::count(lengths.begin(), lengths.end(), lengths.at(0));
  if (same == static_cast<int64_t>(lengths.size())) lengths.clear();
  return lengths;
}

std::vector<int64_t> uneven_lengths(const TokenSplit& split, int64_t len, const Mesh& mesh,
                                    int ring_index) {
  std::vector<int64_t> lengths;
  for (int index = 0; index < mesh.ulysses; ++index) {
    lengths.push_back(token_count(held_tokens(split, len, mesh.rank(ring_index, index))));
  }
  return unless_alike(std::move(lengths));
}

std::optional<int64_t> global_diagonal(const AttentionOptions& options) {
  if (!options.causal) return std::nullopt;
  return options.align == Align::top_left ? 0 : options.kv_len - options.q_len;
}

Visibility visibility_of(const AttentionOptions& options) {
  Visibility visibility{{}, options.documents};
  if (options.window) {
    const int64_t own_place = options.align == Align::top_left ? 0 : options.kv_len - options.q_len;
    visibility.band = {own_place - *options.window, own_place + *options.window};
  }
  if (options.causal) visibility.band.upper = global_diagonal(options);
  return visibility;
}

}  // namespace attncheck
