#pragma once

#include <ATen/core/Tensor.h>

#include "reference/dense_attention.h"
#include "reference/row_blocks.h"

namespace attncheck::reference {

/// The cotangents of one block of rows, and what the softmax makes of them.
struct RowCotangents {
  at::Tensor dout;     // (N, M, Dv) or undefined; 0 on rows with no key
  at::Tensor dlse;     // (N, M, 1) or undefined; 0 on rows with no key
  at::Tensor bracket;  // (N, M, Skv): dP - rowsum(P o dP) + dlse, so that dS = P o bracket
};

/// Collects the gradients of dense_attention.h while the oracle walks over its blocks of rows.
class GradientPass {
 public:
  /// dout is (B, Sq, H, Dv), dlse is (B, Sq, H); either may be undefined, not both. Throws
  /// c10::Error with both shapes where they do not fit the problem.
  GradientPass(const RowBlocks& blocks, const at::Tensor& dout, const at::Tensor& dlse);

  RowCotangents add(const RowBlock& block);
  Gradients finish() const;

 private:
  RowCotangents cotangents(const RowBlock& block) const;

  const RowBlocks& blocks_;
  at::Tensor dout_, dlse_;
  at::Tensor dq_;       // (B, Sq, H, Dqk)
  at::Tensor dk_, dv_;  // (N, Skv, D)
};

}  // namespace attncheck::reference
