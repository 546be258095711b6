#include "impl/ulysses/ordered_pass.h"

#include <utility>

#include "impl/layouts/reordering.h"
#include "impl/layouts/strands.h"
#include "impl/layouts/token_order.h"

namespace attncheck {
std::vector<int64_t> places_in_order(const AttentionOptions& options, int64_t len, const Mesh& mesh,
                                     int ring_index) {
  if (visibility_of(options).everything()) return {};
  return in_order(group_tokens(token_split(options, mesh), len, mesh, ring_index)).places;
}

AttentionPass ordered_pass(AttentionPass inner, const AttentionOptions& options, const Mesh& mesh,
                           int ring_index) {
  const Reordering rows(places_in_order(options, options.q_len, mesh, ring_index));
  const Reordering keys(places_in_order(options, options.kv_len, mesh, ring_index));
  if (!rows.there.defined() && !keys.there.defined()) return inner;
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result =
        inner.forward(moved(q, rows.there), moved(k, keys.there), moved(v, keys.there));
    result.out = moved(result.out, rows.back);
    result.lse = moved(result.lse, rows.back);
    return result;
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    const BackendGrads grads =
        inner.backward(saved, moved(grad_out, rows.there), moved(grad_lse, rows.there));
    return BackendGrads{moved(grads.dq, rows.back), moved(grads.dk, keys.back),
                        moved(grads.dv, keys.back)};
  };
  return pass;
}

}  // namespace attncheck
