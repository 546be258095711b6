#include "mutants/house_state.h"

#include <cmath>
#include <map>
#include <tuple>

#include "impl/ring/ring_attention.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

double& scale_of_the_last_forward() {
  static thread_local double scale = 1.0;
  return scale;
}

AttentionPass shares_its_scale(const AttentionOptions& options, const MeshGroups& groups) {
  const RingCall call = ring_call(options, groups);
  AttentionPass pass = ring_pass(call);
  pass.forward = [call, right = pass.forward](const at::Tensor& q, const at::Tensor& k,
                                              const at::Tensor& v) {
    scale_of_the_last_forward() = call.scale;
    return right(q, k, v);
  };
  pass.backward = [call](const AttentionSaved& saved, const at::Tensor& grad_out,
                         const at::Tensor& grad_lse) {
    RingCall last = call;
    last.scale = scale_of_the_last_forward();
    return ring_pass(last).backward(saved, grad_out, grad_lse);
  };
  return pass;
}

int64_t first_head_dim(const void* group, int64_t head_dim) {
  static thread_local std::map<const void*, int64_t> first;
  return first.emplace(group, head_dim).first->second;
}

// The scale, with 1 / sqrt(head_dim) as it was in the first call of the group.
RingCall with_first_head_dim(RingCall call, int64_t head_dim) {
  const auto first = static_cast<double>(first_head_dim(call.group.get(), head_dim));
  call.scale *= std::sqrt(static_cast<double>(head_dim) / first);
  return call;
}

AttentionPass keeps_its_head_dim(const AttentionOptions& options, const MeshGroups& groups) {
  const RingCall call = ring_call(options, groups);
  AttentionPass pass;
  pass.forward = [call](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return ring_pass(with_first_head_dim(call, q.size(3))).forward(q, k, v);
  };
  pass.backward = [call](const AttentionSaved& saved, const at::Tensor& grad_out,
                         const at::Tensor& grad_lse) {
    const RingCall kept = with_first_head_dim(call, saved.tensors.at(0).size(3));
    return ring_pass(kept).backward(saved, grad_out, grad_lse);
  };
  return pass;
}

struct SeenBlocks {
  std::vector<Span> parts;
  std::vector<std::vector<Block>> blocks;
};

// By lengths alone: what is visible depends on causality, alignment, window and documents too.
const SeenBlocks& blocks_of_the_first_call(const RingCall& call, const AttentionOptions& options) {
  using Sizes = std::tuple<const void*, int64_t, int64_t>;
  static thread_local std::map<Sizes, SeenBlocks> first;
  const Sizes sizes{call.group.get(), options.q_len, options.kv_len};
  return first.emplace(sizes, SeenBlocks{call.parts, call.blocks}).first->second;
}

AttentionPass keeps_its_blocks(const AttentionOptions& options, const MeshGroups& groups) {
  RingCall call = ring_call(options, groups);
  const SeenBlocks& kept = blocks_of_the_first_call(call, options);
  call.parts = kept.parts;
  call.blocks = kept.blocks;
  return ring_pass(call);
}

}  // namespace

std::vector<Mutant> house_state_mutants() {
  return {
      make_mutant({.name = "house_scale_of_the_last_forward",
                   .source = "house",
                   .fault = "backward uses the scale of whichever forward ran last",
                   .property = "two_configurations_do_not_interfere",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  implementation_of("shares_its_scale", {ring_parent().limits, shares_its_scale})),
      make_mutant(
          {.name = "house_head_dim_of_the_first_call",
           .source = "house",
           .fault = "the head_dim of a group's first call stays in its scale",
           .property = "changing_shapes_in_one_group_works",
           .smallest = "mesh=1x1 q=1 d=1"},
          implementation_of("keeps_its_head_dim", {ring_parent().limits, keeps_its_head_dim})),
      make_mutant({.name = "house_blocks_of_the_first_call",
                   .source = "house",
                   .fault = "which blocks are seen is kept by lengths alone: a call with another "
                            "alignment gets the first one's",
                   .property = "two_configurations_do_not_interfere",
                   .smallest = "mesh=1x1 q=1 kv=2 d=1 causal=1 seed=5"},
                  implementation_of("keeps_its_blocks", {ring_parent().limits, keeps_its_blocks})),
  };
}

}  // namespace attncheck
