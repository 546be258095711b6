#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

namespace attncheck::reference {

/// One attention problem as the oracle takes it. Axes: B batch, Sq rows (queries), Skv keys, H
/// query heads, Hkv key/value heads (query head h reads key/value head h / (H / Hkv)), Dqk and Dv
/// channels. All values are finite, but for -inf in an additive mask. Any dtype and any strides:
/// the oracle converts to float64. No member is modified.
struct Inputs {
  at::Tensor q;  // (B, Sq, H, Dqk)
  at::Tensor k;  // (B, Skv, Hkv, Dqk)
  at::Tensor v;  // (B, Skv, Hkv, Dv)
  double scale = 1;

  // Global token position of each row and of each key. May stay empty where no place hides a key.
  std::vector<int64_t> q_positions;
  std::vector<int64_t> kv_positions;

  // The row at position p sees the key at position t only if t <= p + diagonal, and only if
  // t >= p + least_diagonal. Absent: no limit.
  std::optional<int64_t> diagonal;
  std::optional<int64_t> least_diagonal;

  // The first positions of the documents, ascending: a row sees keys of its own document alone.
  // Empty: one document.
  std::vector<int64_t> document_starts;

  // Undefined, bool (true = visible) or floating (added to the scaled scores; -inf = hidden);
  // broadcastable to (B, H, Sq, Skv).
  at::Tensor mask;

  // Rows taken at a time: memory is a few buffers of B * H * row_block * Skv float64.
  int64_t row_block = 64;
};

/// The sizes of a problem.
struct Sizes {
  int64_t batch, q_len, kv_len, heads, kv_heads, head_dim, value_dim;
  int64_t group() const { return heads / kv_heads; }
};

/// The sizes, after every shape was compared with every other. Throws c10::Error with both values.
Sizes checked_sizes(const Inputs& inputs);

/// The diagonal of a causal problem whose tokens are numbered from 0: top-left aligned 0,
/// bottom-right aligned kv_len - q_len; absent where `causal` is false.
std::optional<int64_t> causal_diagonal(bool causal, bool bottom_right, int64_t q_len,
                                       int64_t kv_len);

}  // namespace attncheck::reference
