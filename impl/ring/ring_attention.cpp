#include "impl/ring/ring_attention.h"

#include <optional>
#include <utility>

#include "impl/backends/attend.h"
#include "impl/contract/dtypes.h"
#include "impl/layouts/block_masks.h"
#include "impl/layouts/joint_tokens.h"
#include "impl/merges/block_calls.h"
#include "impl/merges/span_sums.h"
#include "impl/ring/gradient_return.h"
#include "impl/ring/key_stream.h"
#include "impl/support/limits.h"

namespace attncheck {
namespace {

constexpr Limits kRingLimits{.ring = true, .ulysses = false};

// Keys that are in no ring: the joint ones.
OwnedKeys joint_keys(const at::Tensor& k, const at::Tensor& v, const RingCall& call) {
  return {joint_part(k, call.joint), joint_part(v, call.joint), call.ring_index};
}

Attention ring_attention(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionOptions& options,
                         const MeshGroups& groups) {
  check_call(kRingLimits, q, k, v, options, groups);
  const RingCall call = ring_call(with_checked_mask(options, q), groups);
  Attention result = differentiable_attention(q, k, v, ring_pass(call));
  if (!options.return_lse) result.lse = at::Tensor();
  return result;
}

}  // namespace

RingForward ring_forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         const RingCall& call) {
  KeyStream stream(sharded_part(k, call.joint), sharded_part(v, call.joint), call);
  MergedParts merged(call.parts, accumulation_type(q.scalar_type(), call.convert_to_fp32),
                     call.merge);
  RingForward result;
  const auto take = [&](const OwnedKeys& keys, const Block& block) {
    BlockAttention part = attend(*call.backend, block_inputs(q, keys.k, keys.v, call.scale, block));
    merged.add(block.queries, part.out, part.lse);
    result.aux.push_back(std::move(part.aux));
  };
  if (call.joint.tokens > 0) take(joint_keys(k, v, call), call.joint_block);
  for (int step = 0; step < call.ring_degree; ++step) {
    const OwnedKeys keys = stream.next();
    for (const Block& block : call.blocks[keys.owner]) take(keys, block);
  }
  result.partial = merged.whole(q, v.size(3));
  return result;
}

BackendGrads ring_backward(const RingBackward& saved, const RingCall& call) {
  const auto type = accumulation_type(saved.q.scalar_type(), call.convert_to_fp32);
  KeyStream stream(sharded_part(saved.k, call.joint), sharded_part(saved.v, call.joint), call);
  GradientReturn home(call);
  SpanSum dq(saved.q, type);
  size_t index = 0;  // of the blocks, a joint one first, over the steps
  const auto take = [&](const OwnedKeys& keys, const Block& block) {
    BackendGrads grads = attend_backward(
        *call.backend, block_backward(block_inputs(saved.q, keys.k, keys.v, call.scale, block),
                                      {saved.out, saved.lse, saved.grad_out, saved.grad_lse}, block,
                                      saved.aux.at(index++)));
    dq.add(block.queries, grads.dq);
    return grads;
  };
  BackendGrads joint;
  if (call.joint.tokens > 0) joint = take(joint_keys(saved.k, saved.v, call), call.joint_block);
  for (int step = 0; step < call.ring_degree; ++step) {
    const OwnedKeys keys = stream.next();
    SpanSum dk(keys.k, type), dv(keys.v, type);
    for (const Block& block : call.blocks[keys.owner]) {
      const BackendGrads grads = take(keys, block);
      dk.add(block.keys, grads.dk);
      dv.add(block.keys, grads.dv);
    }
    home.add(dk.sum(), dv.sum());
  }
  const KeyGradients keys = home.finish();
  const auto input = saved.q.scalar_type();
  return {cast(dq.sum(), input), with_joint_part(cast(keys.dk, input), joint.dk, call.joint),
          with_joint_part(cast(keys.dv, input), joint.dv, call.joint)};
}

AttentionPass ring_pass(const RingCall& call) {
  AttentionPass pass;
  pass.forward = [call](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    RingForward result = ring_forward(q, k, v, call);
    const at::Tensor out = cast(result.partial.out, q.scalar_type());
    const at::Tensor lse = result.partial.lse;
    return AttentionForward{out, lse, {{q, k, v, out, lse}, std::move(result.aux)}};
  };
  pass.backward = [call](const AttentionSaved& saved, const at::Tensor& grad_out,
                         const at::Tensor& grad_lse) {
    const auto& t = saved.tensors;
    return ring_backward({t[0], t[1], t[2], t[3], t[4], grad_out, grad_lse, saved.aux}, call);
  };
  return pass;
}

Implementation ring_implementation() {
  return {
      "ring",
      [](const Case& c, const Backend& backend) { return supports_case(kRingLimits, c, backend); },
      ring_attention, Method::ring};
}

}  // namespace attncheck
