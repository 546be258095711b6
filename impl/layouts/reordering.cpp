#include "impl/layouts/reordering.h"

#include <ATen/ops/tensor.h>

namespace attncheck {

Reordering::Reordering(const std::vector<int64_t>& places) {
  if (places.empty()) return;
  there = at::tensor(places, at::kLong);
  std::vector<int64_t> inverse(places.size());
  for (size_t i = 0; i < places.size(); ++i) inverse[places[i]] = static_cast<int64_t>(i);
  back = at::tensor(inverse, at::kLong);
}

at::Tensor moved(const at::Tensor& x, const at::Tensor& from) {
  return x.defined() && from.defined() ? x.index_select(1, from.to(x.device())) : x;
}

}  // namespace attncheck
