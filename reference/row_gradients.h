#pragma once

#include <ATen/core/Tensor.h>

#include "reference/row_blocks.h"

namespace attncheck::reference {

/// The cotangents of one block of rows, and what the softmax makes of them.
struct RowCotangents {
  at::Tensor dout;     // (N, M, Dv) or undefined; 0 on rows with no key
  at::Tensor dlse;     // (N, M, 1) or undefined; 0 on rows with no key
  at::Tensor bracket;  // (N, M, Skv): dP - rowsum(P o dP) + dlse, so that dS = P o bracket
};

/// dout is (B, Sq, H, Dv), dlse is (B, Sq, H); either may be undefined, not both.
RowCotangents row_cotangents(const RowBlocks& blocks, const RowBlock& block, const at::Tensor& dout,
                             const at::Tensor& dlse);

/// Compares the cotangents' shapes with the problem's. Throws c10::Error with both values.
void check_cotangents(const Sizes& sizes, const at::Tensor& dout, const at::Tensor& dlse);

}  // namespace attncheck::reference
