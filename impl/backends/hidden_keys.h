#pragma once

#include "problem/problem.h"

namespace attncheck {

// How LibTorch's fused operators are told what a block's problem hides.
struct HiddenKeys {
  bool is_causal = false;  // the operator's flag: key j is seen by query i iff j <= i
  bool bias = false;       // an additive mask of (B, H, Sq, Skv), which says all of it
};

// The flag says the diagonal that starts at the first key, where nothing else hides; the rest,
// other diagonals included, is a bias. A scale that is not positive multiplies what the flag hides,
// -inf.
inline HiddenKeys hidden_keys(const Problem& block) {
  const bool masked =
      block.mask != Mask::none || block.window.has_value() || !block.documents.empty();
  if (!masked && !block.causal) return {};
  const bool flag = !masked && causal_diagonal(block) == 0 && effective_scale(block) > 0;
  return {flag, !flag};
}

}  // namespace attncheck
