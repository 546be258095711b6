#pragma once

#include <functional>
#include <string>

#include <ATen/core/Tensor.h>

#include "impl/contract/support.h"
#include "problem/case.h"

namespace attncheck {

// Attention to some of the keys: `out` (B, Sq, H, Dv) normalised over these keys alone, and their
// log-sum-exp `lse` (B, Sq, H). A row without keys is (0, -inf).
struct Partial {
  at::Tensor out, lse;
};

// How an implementation puts partial results together: the attention to the keys of both, from the
// attention to the keys of each. (0, -inf) is the identity; the order and the bracketing of several
// do not matter. A case gives the sizes: out is (b, q, h, dv) in its dtype, lse in the wider of
// that and float32, and there are kv partials.
struct Merge {
  std::string name;
  std::function<Support(const Case&)> supports;
  std::function<Partial(const Partial&, const Partial&)> apply;
};

}  // namespace attncheck
