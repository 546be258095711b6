#include "mutants/padded_keys.h"

#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/parents.h"
#include "mutants/zeros_behind.h"
#include "problem/next_multiple.h"

namespace attncheck {
namespace {

AttentionPass padding(const AttentionPass& right, int64_t own, int64_t longest) {
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return right.forward(q, zeros_behind(k, longest), zeros_behind(v, longest));
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    const BackendGrads grads = right.backward(saved, grad_out, grad_lse);
    return BackendGrads{grads.dq, grads.dk.narrow(kSequenceAxis, 0, own),
                        grads.dv.narrow(kSequenceAxis, 0, own)};
  };
  return pass;
}

Attention attention_of_padded_keys(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   const AttentionOptions& options, const MeshGroups& groups) {
  AttentionOptions equal = options;
  equal.kv_len = next_multiple(options.kv_len, groups.mesh.world());
  const int64_t own = k.size(kSequenceAxis), longest = equal.kv_len / groups.mesh.world();
  check_call(ring_parent().limits, q, zeros_behind(k, longest), zeros_behind(v, longest), equal,
             groups);
  return differentiable_attention(q, k, v,
                                  padding(ring_parent().pass(equal, groups), own, longest));
}

// Padding shifts the places of the keys behind it, which nothing here may depend on.
Support supports_any_keys(Case c, const Backend& backend) {
  const Problem& p = c.problem;
  const bool plain = sees_every_place(p) && p.mask == Mask::none && p.shards.empty() &&
                     p.joint == Joint{} && p.layout == Layout::contiguous;
  if (!plain) return Support::no("keys are padded where all are seen and shards are near-equal");
  c.problem.kv_len = next_multiple(p.kv_len, c.mesh.world());
  return supports_case(ring_parent().limits, c, backend);
}

}  // namespace

Mutant pads_keys_to_equal_shards() {
  return make_mutant(
      {.name = "house_padded_keys_are_attended",
       .source = "house",
       .fault = "uneven shards of keys are padded with zeros, and the padding is seen",
       .property = "every_query_key_pair_counts_once",
       .smallest = "mesh=2x1 q=1 d=1"},
      Implementation{"padded_keys", supports_any_keys, attention_of_padded_keys});
}

}  // namespace attncheck
