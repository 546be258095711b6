#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/contract/implementation.h"

namespace attncheck {

// The tokens offset, offset + stride, ... of a sequence, `length` of them.
struct Strand {
  int64_t offset = 0;
  int64_t stride = 1;
  int64_t length = 0;

  bool operator==(const Strand&) const = default;
};
using Strands = std::vector<Strand>;

// How sequences are dealt out to the ranks of a mesh.
struct TokenSplit {
  Layout layout = Layout::contiguous;
  int ranks = 1;
  std::vector<int64_t> shards;  // contiguous: their lengths; empty: near-equal ones
};

TokenSplit token_split(const AttentionOptions& options, const Mesh& mesh);

// What rank `rank` holds of `len` tokens, in the order in which it holds them; a strand may be
// empty. Near-equal runs are the first ones a token longer than the rest.
//   contiguous  the rank-th run: of the lengths of `shards` where these add up to `len`, else of
//               near-equal ones
//   zigzag      the runs `rank` and 2 ranks - 1 - rank of 2 ranks near-equal ones
//   striped     every ranks-th token, from the rank-th on
Strands held_tokens(const TokenSplit& split, int64_t len, int rank);

// The same of all ranks of a Ulysses group, which `ring_index` names, by Ulysses index.
Strands group_tokens(const TokenSplit& split, int64_t len, const Mesh& mesh, int ring_index);

int64_t token_count(const Strands& strands);

// So many tokens of which nobody asks where they are: one strand, or none.
Strands tokens_anywhere(int64_t count);

// These lengths, one or more; nothing where all are alike.
std::vector<int64_t> unless_alike(std::vector<int64_t> lengths);

// How many tokens each rank of a Ulysses group holds, by Ulysses index; nothing where all hold as
// many.
std::vector<int64_t> uneven_lengths(const TokenSplit& split, int64_t len, const Mesh& mesh,
                                    int ring_index);

// A query at position p sees a key at position t iff t <= p + diagonal; absent when not causal.
std::optional<int64_t> global_diagonal(const AttentionOptions& options);

// Which keys a query sees by their places: those of the band, of its own document.
struct Visibility {
  Band band;
  std::vector<int64_t> documents;  // lengths; empty: one document

  bool everything() const { return !band.lower && !band.upper && documents.empty(); }
};

Visibility visibility_of(const AttentionOptions& options);

}  // namespace attncheck
