#include "mutants/equal_splits.h"

#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/equal_shards.h"
#include "mutants/parents.h"
#include "mutants/zeros_behind.h"

namespace attncheck {
namespace {

at::Tensor cut(const at::Tensor& x, int64_t tokens) {
  return x.defined() ? x.narrow(kSequenceAxis, 0, tokens) : x;
}

// The tokens of a rank's own shards, and what is left of them.
struct Tokens {
  int64_t q, kv, left_q, left_kv;
};

AttentionPass cutting(const AttentionPass& right, const Tokens& n) {
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right.forward(cut(q, n.left_q), cut(k, n.left_kv), cut(v, n.left_kv));
    result.out = zeros_behind(result.out, n.q);
    result.lse = zeros_behind(result.lse, n.q);
    return result;
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    const BackendGrads grads =
        right.backward(saved, cut(grad_out, n.left_q), cut(grad_lse, n.left_q));
    return BackendGrads{zeros_behind(grads.dq, n.q), zeros_behind(grads.dk, n.kv),
                        zeros_behind(grads.dv, n.kv)};
  };
  return pass;
}

Attention attention_of_equal_splits(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                    const AttentionOptions& options, const MeshGroups& groups) {
  const int64_t world = groups.mesh.world();
  const Tokens tokens{q.size(kSequenceAxis), k.size(kSequenceAxis), options.q_len / world,
                      options.kv_len / world};
  AttentionOptions equal = options;
  equal.q_len = tokens.left_q * world;
  equal.kv_len = tokens.left_kv * world;
  check_call(of_equal_shards(ulysses_parent().limits), cut(q, tokens.left_q),
             cut(k, tokens.left_kv), cut(v, tokens.left_kv), equal, groups);
  return differentiable_attention(q, k, v, cutting(ulysses_parent().pass(equal, groups), tokens));
}

Support supports_any_length(Case c, const Backend& backend) {
  const int64_t world = c.mesh.world();
  c.problem.q_len -= c.problem.q_len % world;
  c.problem.kv_len -= c.problem.kv_len % world;
  return supports_case(of_equal_shards(ulysses_parent().limits), c, backend);
}

}  // namespace

Mutant cuts_to_equal_splits() {
  return make_mutant(
      {.name = "C4",
       .source = "DeepSpeed #7384",
       .fault = "an indivisible sequence is silently cut to equal splits",
       .property = "every_query_key_pair_counts_once",
       .smallest = "mesh=1x2 q=3 h=2 d=1"},
      Implementation{"equal_splits", supports_any_length, attention_of_equal_splits});
}

}  // namespace attncheck
