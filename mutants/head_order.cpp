#include "mutants/head_order.h"

#include <ATen/ops/constant_pad_nd.h>

#include "impl/layouts/head_slots.h"
#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

// All KV heads once, then all of them again: right is each one as often as it is needed, then the
// next. The same where each is needed once.
at::Tensor all_heads_again(const at::Tensor& x, const HeadSlots& slots) {
  const at::Tensor repeated = x.repeat({1, 1, slots.kv_repeats(), 1});
  const int64_t added = slots.kv_slots() - repeated.size(kHeadsAxis);
  return at::constant_pad_nd(repeated, {0, 0, 0, added}, 0);
}

// Its gradient.
at::Tensor sum_of_repeats(const at::Tensor& x, const HeadSlots& slots, int64_t kv_heads) {
  const int64_t repeats = slots.kv_repeats();
  return x.narrow(kHeadsAxis, 0, repeats * kv_heads)
      .unflatten(kHeadsAxis, {repeats, kv_heads})
      .sum(kHeadsAxis);
}

AttentionPass repeating_pass(const AttentionPass& inner, const HeadSlots& slots, int64_t kv_heads) {
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result =
        inner.forward(slots.queries(q), all_heads_again(k, slots), all_heads_again(v, slots));
    result.out = slots.from_queries(result.out);
    if (result.lse.defined()) result.lse = slots.from_queries(result.lse);
    return result;
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    const at::Tensor grad_lse_slots = grad_lse.defined() ? slots.queries(grad_lse) : at::Tensor();
    const BackendGrads grads = inner.backward(saved, slots.queries(grad_out), grad_lse_slots);
    return BackendGrads{slots.from_queries(grads.dq), sum_of_repeats(grads.dk, slots, kv_heads),
                        sum_of_repeats(grads.dv, slots, kv_heads)};
  };
  return pass;
}

Implementation repeats_in_the_wrong_order() {
  Parent parent = ulysses_parent();
  parent.limits.any_heads = true;
  Implementation implementation = implementation_of("C14", parent);
  implementation.attention = [parent](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const AttentionOptions& options, const MeshGroups& groups) {
    check_call(parent.limits, q, k, v, options, groups);
    const int64_t kv_heads = k.size(kHeadsAxis);
    const HeadSlots slots(q.size(kHeadsAxis), kv_heads, groups.mesh.ulysses);
    return differentiable_attention(q, k, v,
                                    repeating_pass(parent.pass(options, groups), slots, kv_heads));
  };
  return implementation;
}

}  // namespace

std::vector<Mutant> head_order_mutants() {
  return {make_mutant({.name = "C14",
                       .source = "vllm-omni #5716, prime-rl #3042",
                       .fault = "grouped heads are repeated in the wrong order for the ranks",
                       .property = "output_matches_reference",
                       .smallest = "mesh=1x4 q=4 h=4 hkv=2 d=1"},
                      repeats_in_the_wrong_order())};
}

}  // namespace attncheck
