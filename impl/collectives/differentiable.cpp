#include "impl/collectives/differentiable.h"

#include "impl/autograd/linear_function.h"
#include "impl/collectives/exchange.h"

namespace attncheck {

at::Tensor seq_all_to_all(const at::Tensor& x, const KeptGroup& group, int64_t scatter_dim,
                          int64_t gather_dim) {
  return linear_function(
      x, [=](const at::Tensor& v) { return all_to_all(v, *group, scatter_dim, gather_dim); },
      [=](const at::Tensor& g) { return all_to_all(g, *group, gather_dim, scatter_dim); });
}

at::Tensor gather_sequence(const at::Tensor& x, const KeptGroup& group, int64_t dim) {
  return linear_function(
      x, [=](const at::Tensor& v) { return all_gather(v, *group, dim); },
      [=](const at::Tensor& g) { return reduce_scatter(g, *group, dim); });
}

at::Tensor ring_shift(const at::Tensor& x, const KeptGroup& group, int hops) {
  return linear_function(
      x, [=](const at::Tensor& v) { return shift({v}, *group, hops).front(); },
      [=](const at::Tensor& g) { return shift({g}, *group, -hops).front(); });
}

}  // namespace attncheck
