#include "mutants/house_all_keys.h"

#include <ATen/TensorOperators.h>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/allgather_kv/gathered_keys.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

AttentionPass in_rank_order(const AttentionOptions& options, const MeshGroups& groups) {
  GatherCall call = gather_call(options, groups);
  call.keys = Reordering();
  return allgather_kv_pass(call);
}

AttentionPass gathered_twice(const AttentionOptions& options, const MeshGroups& groups) {
  const GatherCall call = gather_call(options, groups);
  AttentionPass pass = allgather_kv_pass(call);
  pass.forward = [call, right = pass.forward](const at::Tensor& q, const at::Tensor& k,
                                              const at::Tensor& v) {
    gather_keys(k, v, call);
    return right(q, k, v);
  };
  return pass;
}

AttentionPass averaged(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass pass = allgather_kv_parent().pass(options, groups);
  pass.backward = [right = pass.backward, ranks = groups.mesh.ring](const AttentionSaved& saved,
                                                                    const at::Tensor& grad_out,
                                                                    const at::Tensor& grad_lse) {
    const BackendGrads sums = right(saved, grad_out, grad_lse);
    return BackendGrads{sums.dq, sums.dk / ranks, sums.dv / ranks};
  };
  return pass;
}

Mutant of_all_keys(const MutantFacts& facts, PassMaker pass) {
  Parent parent = allgather_kv_parent();
  parent.pass = std::move(pass);
  return make_mutant(facts, implementation_of(facts.name, parent));
}

}  // namespace

std::vector<Mutant> house_all_keys_mutants() {
  return {
      of_all_keys({.name = "house_gathered_keys_in_rank_order",
                   .source = "house",
                   .fault = "gathered keys stay in the order of the ranks, zigzag's under the "
                            "diagonal of the sequence",
                   .property = "every_query_key_pair_counts_once",
                   .smallest = "mesh=2x1 q=2 kv=4 d=1 causal=1 layout=zigzag"},
                  in_rank_order),
      of_all_keys({.name = "house_gathers_keys_twice",
                   .source = "house",
                   .fault = "in forward the keys are gathered twice; the first ones are dropped",
                   .property = "bytes_match_theory",
                   .smallest = "mesh=2x1 q=1 d=1"},
                  gathered_twice),
      of_all_keys({.name = "house_gathered_gradients_are_averaged",
                   .source = "house",
                   .fault = "dk and dv are the mean over the ranks, as of parameters, not the sum",
                   .property = "gradients_match_reference",
                   .smallest = "mesh=2x1 q=1 d=1"},
                  averaged),
  };
}

}  // namespace attncheck
