#include "impl/ring/ring_attention.h"

#include <optional>
#include <utility>

#include <ATen/TensorOperators.h>

#include "impl/backends/attend.h"
#include "impl/contract/dtypes.h"
#include "impl/ring/gradient_return.h"
#include "impl/ring/key_stream.h"
#include "impl/support/limits.h"

namespace attncheck {
namespace {

constexpr Limits kRingLimits{.ring = true, .ulysses = false};

at::Tensor cast(const at::Tensor& x, at::ScalarType type) {
  return x.scalar_type() == type ? x : x.to(type);
}

BackendBackward gradient_block(const RingBackward& saved, const RingCall& call,
                               const OwnedKeys& keys, int step) {
  return {key_block(saved.q, keys.k, keys.v, call, keys.owner),
          saved.grad_out,
          saved.grad_lse,
          saved.out,
          saved.lse,
          saved.aux[step]};
}

Attention ring_attention(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionOptions& options,
                         const MeshGroups& groups) {
  check_call(kRingLimits, q, k, v, options, groups);
  Attention result = differentiable_attention(q, k, v, ring_pass(ring_call(options, groups)));
  if (!options.return_lse) result.lse = at::Tensor();
  return result;
}

}  // namespace

RingForward ring_forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         const RingCall& call) {
  const auto type = accumulation_type(q.scalar_type(), call.convert_to_fp32);
  KeyStream stream(k, v, call);
  RingForward result;
  for (int step = 0; step < call.ring_degree; ++step) {
    const OwnedKeys keys = stream.next();
    BlockAttention block = attend(*call.backend, key_block(q, keys.k, keys.v, call, keys.owner));
    const Partial partial{cast(block.out, type), block.lse};
    result.partial = step == 0 ? partial : merge(result.partial, partial);
    result.aux.push_back(std::move(block.aux));
  }
  return result;
}

BackendGrads ring_backward(const RingBackward& saved, const RingCall& call) {
  const auto type = accumulation_type(saved.q.scalar_type(), call.convert_to_fp32);
  KeyStream stream(saved.k, saved.v, call);
  GradientReturn home(call);
  at::Tensor dq;
  for (int step = 0; step < call.ring_degree; ++step) {
    const OwnedKeys keys = stream.next();
    const BackendGrads block =
        attend_backward(*call.backend, gradient_block(saved, call, keys, step));
    dq = step == 0 ? cast(block.dq, type) : dq + block.dq;
    home.add(cast(block.dk, type), cast(block.dv, type));
  }
  const KeyGradients keys = home.finish();
  const auto input = saved.q.scalar_type();
  return {cast(dq, input), cast(keys.dk, input), cast(keys.dv, input)};
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
