#pragma once

#include <ATen/core/Tensor.h>

#include "reference/bounds.h"
#include "reference/dense_attention.h"
#include "reference/gradient_pass.h"
#include "reference/row_blocks.h"

namespace attncheck::reference {

/// Collects the kappa of bounds.h while the oracle walks over its blocks of rows.
class BoundsPass {
 public:
  BoundsPass(const RowBlocks& blocks, const BoundContext& context, bool with_gradients);

  void add_forward(const RowBlock& block);
  /// After add_forward of the same block.
  void add_gradients(const RowBlock& block, const RowCotangents& row);

  /// Multiplies by c and adds what depends on the values: u_io * |ref| + floor.
  Bounds finish(const Forward& forward, const Gradients& gradients) const;

 private:
  at::Tensor row_error(const RowBlock& block) const;
  at::Tensor finished(const at::Tensor& kappa, double factor, const at::Tensor& reference,
                      c10::ScalarType dtype) const;

  const RowBlocks& blocks_;
  BoundContext context_;
  double u_acc_, u_p_, least_probability_;
  at::Tensor abs_k_, abs_v_;          // (N, Skv, D)
  at::Tensor merge_error_;            // (N, 1, Dv), what merges may add to out
  at::Tensor largest_k_, largest_v_;  // (N, 1, 1), the largest norm of a key and of a value
  Bounds kappa_;                      // times the relative error; dk and dv are head-major

  // Of the block at hand.
  at::Tensor probability_;  // (N, M, Skv), at least least_probability_
  at::Tensor error_;        // (N, M, 1), sqrt(d) * s_max + sqrt(n) + R
  at::Tensor abs_out_;      // (N, M, Dv), kappa of out
};

}  // namespace attncheck::reference
