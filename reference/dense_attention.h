#pragma once

#include <ATen/core/Tensor.h>

#include "reference/inputs.h"

namespace attncheck::reference {

// The oracle: dense attention in float64, blocked by rows. Everything here runs without autograd,
// on the CPU, and returns contiguous float64 tensors whatever the inputs' dtype. Nothing is shared
// with the code that it judges, and no softmax, log-sum-exp or attention op of LibTorch is called.

struct Forward {
  at::Tensor out;  // (B, Sq, H, Dv); 0 on rows with no key
  at::Tensor
      lse;  // (B, Sq, H), natural log of the summed exp of the scores; -inf on rows with no key
};

struct Gradients {
  at::Tensor dq;  // (B, Sq, H, Dqk)
  at::Tensor dk;  // (B, Skv, Hkv, Dqk)
  at::Tensor dv;  // (B, Skv, Hkv, Dv)
};

/// out = P v and lse, with P = softmax(scale * q k^T + mask) over the visible keys.
Forward forward(const Inputs& inputs);

/// The vector-Jacobian product of (out, lse) with the cotangents dout (B, Sq, H, Dv) and
/// dlse (B, Sq, H), either of which may be undefined (zero). With dP = dout v^T:
///   dS = P o (dP - rowsum(P o dP) + dlse), dq = scale dS k, dk = scale dS^T q, dv = P^T dout.
/// A row with no key adds nothing, whatever its cotangents, NaN and infinity included.
Gradients vjp(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse);

/// The attention matrix P itself, (B, H, Sq, Skv). For small problems: it is not blocked.
at::Tensor probabilities(const Inputs& inputs);

}  // namespace attncheck::reference
