#include "mutants/empty_rank.h"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "impl/ring/ring_attention.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

bool sees_a_key(const RingCall& call) {
  return std::ranges::any_of(call.blocks, [](const auto& seen) { return !seen.empty(); });
}

at::Tensor unwritten(const at::Tensor& x) {
  return at::empty(x.sizes(), x.options());
}

AttentionPass leaves_it_unwritten(const AttentionOptions& options, const MeshGroups& groups) {
  const RingCall call = ring_call(options, groups);
  AttentionPass pass = ring_pass(call);
  pass.forward = [call, right = pass.forward](const at::Tensor& q, const at::Tensor& k,
                                              const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    if (sees_a_key(call)) return result;
    result.saved.tensors[3] = result.out = unwritten(result.out);
    result.saved.tensors[4] = result.lse = unwritten(result.lse);
    return result;
  };
  return pass;
}

}  // namespace

Mutant leaves_an_empty_rank_unwritten() {
  return make_mutant({.name = "C13",
                      .source = "MagiAttention #9",
                      .fault = "a rank with no visible key returns uninitialised memory",
                      .property = "nothing_uninitialised_is_read",
                      .smallest = "mesh=2x1 q=4 kv=2 d=1 causal=1 align=br"},
                     implementation_of("leaves_it_unwritten",
                                       {ring_parent().limits, leaves_it_unwritten, Method::ring}));
}

}  // namespace attncheck
