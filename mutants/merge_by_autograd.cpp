#include "mutants/merge_by_autograd.h"

#include "impl/collectives/differentiable.h"
#include "impl/contract/dtypes.h"
#include "impl/merges/merge.h"
#include "impl/ring/ring_call.h"
#include "impl/ulysses/ulysses_attention.h"
#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/equal_shards.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

// One block by autograd, its lse detached as that of LibTorch's fused kernels is.
Partial block_by_autograd(const BackendInputs& block, const RingCall& call) {
  const AttentionPass pass = local_pass(call.backend, call.scale, block.diagonal);
  const Attention result = differentiable_attention(block.q, block.k, block.v, pass);
  const auto type = accumulation_type(block.q.scalar_type(), call.convert_to_fp32);
  return {result.out.to(type), result.lse.detach()};
}

Attention merged_blocks(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                        const RingCall& call) {
  const at::Tensor all_k = gather_sequence(k, call.group, kSequenceAxis);
  const at::Tensor all_v = gather_sequence(v, call.group, kSequenceAxis);
  const int64_t length = k.size(kSequenceAxis);
  Partial sum;
  for (int step = 0; step < call.ring_degree; ++step) {
    const int owner = step_owner(call.ring_index, step, call.ring_degree);
    const Partial partial = block_by_autograd(
        key_block(q, all_k.narrow(kSequenceAxis, owner * length, length),
                  all_v.narrow(kSequenceAxis, owner * length, length), call, owner),
        call);
    sum = step == 0 ? partial : merge(sum, partial);
  }
  return {sum.out.to(q.scalar_type()), sum.lse};
}

}  // namespace

Mutant merge_left_to_autograd() {
  Parent ring = ring_parent();
  ring.limits = of_equal_shards(ring.limits);
  Implementation implementation = implementation_of("merge_left_to_autograd", ring);
  implementation.attention = [limits = ring.limits](
                                 const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 const AttentionOptions& options, const MeshGroups& groups) {
    check_call(limits, q, k, v, options, groups);
    Attention result = merged_blocks(q, k, v, ring_call(options, groups));
    if (!options.return_lse) result.lse = at::Tensor();
    return result;
  };
  return make_mutant({.name = "A17",
                      .source = "torch (blockwise merge left to autograd)",
                      .fault = "the kernel's lse carries no gradient through the merge",
                      .property = "gradients_match_reference",
                      .smallest = "mesh=2x1 q=2 d=1"},
                     implementation);
}

}  // namespace attncheck
