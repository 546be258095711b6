#include "impl/merges/merge.h"

#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/zeros.h>
#include <c10/core/ScalarType.h>

namespace attncheck {
namespace {

double lowest(at::ScalarType type) {
  return type == at::kDouble ? std::numeric_limits<double>::lowest()
                             : std::numeric_limits<float>::lowest();
}

}  // namespace

Partial merge(const Partial& a, const Partial& b) {
  const at::Tensor lse = at::logaddexp(a.lse, b.lse);
  // Where both are empty, -inf - lowest gives weight 0 and -inf - (-inf) would give NaN.
  const at::Tensor finite = lse.clamp_min(lowest(lse.scalar_type()));
  const auto weight = [&](const Partial& part) {
    const at::Tensor w = (part.lse - finite).exp_();
    const bool same = w.scalar_type() == part.out.scalar_type();
    return (same ? w : w.to(part.out.scalar_type())).unsqueeze(-1);
  };
  return {(a.out * weight(a)).addcmul_(b.out, weight(b)), lse};
}

Partial empty_partial(const at::Tensor& q, int64_t v_head_dim, at::ScalarType out_type,
                      at::ScalarType lse_type) {
  const int64_t batch = q.size(0), q_len = q.size(1), heads = q.size(2);
  return {at::zeros({batch, q_len, heads, v_head_dim}, q.options().dtype(out_type)),
          at::full({batch, q_len, heads}, -std::numeric_limits<double>::infinity(),
                   q.options().dtype(lse_type))};
}

}  // namespace attncheck
