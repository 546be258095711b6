#include "impl/ulysses/slotted_pass.h"

namespace attncheck {

AttentionPass slotted_pass(AttentionPass inner, HeadSlots slots) {
  if (slots.adds_nothing()) return inner;
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = inner.forward(slots.queries(q), slots.keys(k), slots.keys(v));
    result.out = slots.from_queries(result.out);
    if (result.lse.defined()) result.lse = slots.from_queries(result.lse);
    return result;
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    const BackendGrads grads =
        inner.backward(saved, slots.queries(grad_out),
                       grad_lse.defined() ? slots.queries(grad_lse) : at::Tensor());
    return BackendGrads{slots.from_queries(grads.dq), slots.from_keys(grads.dk),
                        slots.from_keys(grads.dv)};
  };
  return pass;
}

}  // namespace attncheck
