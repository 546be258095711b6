#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "reference/inputs.h"

namespace attncheck::reference {

/// One block of rows after the softmax. N = B * Hkv, M = G * rows with G = H / Hkv: the query heads
/// that share a key head lie one after another, so that no key is ever repeated in memory.
struct RowBlock {
  int64_t begin, rows;
  at::Tensor q;            // (N, M, Dqk)
  at::Tensor probability;  // (N, M, Skv), 0 where hidden, rows sum to 1 or (no key) to 0
  at::Tensor row_max;      // (N, M, 1), the largest score of the row, -inf on rows with no key
  at::Tensor lse;          // (N, M, 1), -inf on rows with no key
};

/// A problem in float64 and head-major, walked by blocks of rows. This is the one softmax that the
/// oracle has: scores = scale * q k^T + mask, max over keys, exp, sum; none of LibTorch's softmax,
/// logsumexp or attention ops is called.
class RowBlocks {
 public:
  explicit RowBlocks(const Inputs& inputs);

  const Sizes& sizes() const { return sizes_; }
  double scale() const { return inputs_.scale; }
  const at::Tensor& k() const { return k_; }  // (N, Skv, Dqk)
  const at::Tensor& v() const { return v_; }  // (N, Skv, Dv)
  /// Whether a row can be without keys at all (a mask, a diagonal, or no keys).
  bool rows_may_be_empty() const;

  /// Rows begin .. begin + min(row_block, what is left).
  RowBlock block(int64_t begin) const;

  /// Calls visit(block) for every block of rows in turn.
  template <class Visit>
  void for_each(Visit visit) const {
    for (int64_t begin = 0; begin < sizes_.q_len; begin += inputs_.row_block) visit(block(begin));
  }

  /// (B, Sq, H, X) of any dtype -> the block's rows as float64 (N, M, X), and the reverse: writes
  /// (N, M, X) into the block's rows of (B, Sq, H, X).
  at::Tensor take(const at::Tensor& by_token, int64_t begin, int64_t rows) const;
  void put(const at::Tensor& block, int64_t begin, const at::Tensor& by_token) const;

  /// (N, Skv, X) -> (B, Skv, Hkv, X), contiguous.
  at::Tensor keys_by_token(const at::Tensor& head_major) const;

 private:
  at::Tensor scores(const at::Tensor& q, int64_t begin, int64_t rows) const;

  const Inputs& inputs_;
  Sizes sizes_;
  at::Tensor k_, v_;
};

}  // namespace attncheck::reference
