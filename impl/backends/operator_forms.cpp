#include "impl/backends/operator_forms.h"

namespace attncheck {

at::Tensor with_all_heads(const at::Tensor& x, int64_t group) {
  if (group == 1) return x;
  return x.unsqueeze(3)
      .expand({x.size(0), x.size(1), x.size(2), group, x.size(3)})
      .reshape({x.size(0), x.size(1), x.size(2) * group, x.size(3)});
}

at::Tensor sum_of_groups(const at::Tensor& x, int64_t group) {
  if (group == 1) return x;
  return x.unflatten(2, {x.size(2) / group, group}).sum(3);
}

bool says_is_causal(const BackendInputs& block) {
  return !block.mask.defined() && block.diagonal == 0 && block.scale > 0;
}

}  // namespace attncheck
