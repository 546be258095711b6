#include "mutants/zeros_behind.h"

#include <vector>

#include <ATen/ops/constant_pad_nd.h>

#include "mutants/axes.h"

namespace attncheck {

at::Tensor zeros_behind(const at::Tensor& x, int64_t tokens) {
  if (!x.defined()) return x;
  std::vector<int64_t> pad(2 * (x.dim() - 1), 0);  // the last axis first, a pair for each
  pad.back() = tokens - x.size(kSequenceAxis);
  return at::constant_pad_nd(x, pad);
}

}  // namespace attncheck
