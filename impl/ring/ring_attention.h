#pragma once

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "impl/autograd/attention_function.h"
#include "impl/contract/implementation.h"
#include "impl/merges/merge.h"
#include "impl/ring/ring_call.h"

namespace attncheck {

struct RingForward {
  Partial partial;                            // out in the accumulation dtype
  std::vector<std::vector<c10::IValue>> aux;  // the backend's, by block, step by step
};

// Attention of the rank's queries q (B, Sq, H, Dqk) to the keys of the whole ring: block by block,
// in the order of step_owner, merged as they come. k (B, Skv, Hkv, Dqk), v (B, Skv, Hkv, Dv) are
// the rank's own.
RingForward ring_forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         const RingCall& call);

struct RingBackward {
  at::Tensor q, k, v;             // the rank's own, as in forward
  at::Tensor out, lse;            // the rank's result over all keys; out in q's dtype
  at::Tensor grad_out, grad_lse;  // grad_lse (B, Sq, H) or undefined
  std::vector<std::vector<c10::IValue>> aux;
};

// The gradients of q and of the rank's own k and v, in their dtypes.
BackendGrads ring_backward(const RingBackward& saved, const RingCall& call);

// Forward and backward as a pass that saves q, k, v, out and lse.
AttentionPass ring_pass(const RingCall& call);

// "ring": the sequence is sharded over R ranks, keys go round. Meshes Rx1.
Implementation ring_implementation();

}  // namespace attncheck
