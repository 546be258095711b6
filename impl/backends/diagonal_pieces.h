#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace attncheck {

// Some queries of a block against its first keys: all of these, or the causal part with the last
// query on the last key, as flash-attn aligns it.
struct DiagonalPiece {
  int64_t first_query = 0, queries = 0;
  int64_t keys = 0;  // from the first one
  bool causal = false;
  bool operator==(const DiagonalPiece&) const = default;
};

// The pieces that are what a diagonal lets see (query i sees key j iff j <= i + *diagonal; absent:
// all), for a kernel that is told nothing but is_causal, bottom-right: queries that the diagonal
// cuts see a part of the keys up to the last query's, those behind them all keys. Queries that see
// none are in no piece. At most two.
inline std::vector<DiagonalPiece> diagonal_pieces(int64_t q_len, int64_t kv_len,
                                                  std::optional<int64_t> diagonal) {
  if (!diagonal || *diagonal >= kv_len - 1) return {{0, q_len, kv_len, false}};
  const int64_t first = *diagonal < 0 ? -*diagonal : 0;
  if (first >= q_len) return {};
  const int64_t whole = kv_len - *diagonal - 1;  // the first query that sees every key
  const int64_t cut = whole < q_len ? whole : q_len;
  std::vector<DiagonalPiece> pieces;
  if (cut > first) pieces.push_back({first, cut - first, cut + *diagonal, true});
  if (cut < q_len) pieces.push_back({cut, q_len - cut, kv_len, false});
  return pieces;
}

}  // namespace attncheck
