#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/contract/backend_contract.h"
#include "impl/contract/support.h"
#include "problem/problem.h"

// Whoever looks into `aux` includes <ATen/core/ivalue.h>, which costs as much as all tensors do.
namespace c10 {
struct IValue;
}

namespace attncheck {

// One block of attention: some queries against some keys.
struct BackendInputs {
  at::Tensor q;  // (B, Sq, H, Dqk)
  at::Tensor k;  // (B, Skv, Hkv, Dqk), Skv >= 1
  at::Tensor v;  // (B, Skv, Hkv, Dv)
  // Undefined, bool (true: visible) or additive, broadcastable to (B, H, Sq, Skv).
  at::Tensor mask;
  double scale = 1.0;
  // Query i of this block sees key j of this block iff j <= i + *diagonal; absent: every key.
  std::optional<int64_t> diagonal;
};

struct BackendForward {
  at::Tensor out;                // (B, Sq, H, Dv), q's dtype
  at::Tensor lse;                // raw: in the shape, base and empty-row value of the contract
  std::vector<c10::IValue> aux;  // what the kernel's backward wants to see again
  // What the operator returned, all of it, in its order and untouched: of a kernel that is no
  // operator nothing, or its own out and lse in the declared layout. Only looked at when the kernel
  // is held to its contract.
  std::vector<c10::IValue> returned;
};

// One block of a ring, or the whole.
struct BackendBackward {
  BackendInputs block;
  at::Tensor grad_out;  // (B, Sq, H, Dv), q's dtype
  at::Tensor grad_lse;  // (B, Sq, H), or undefined: zero
  at::Tensor out;       // the GLOBAL output, (B, Sq, H, Dv)
  at::Tensor lse;  // the GLOBAL log-sum-exp in the project's form, (B, Sq, H), -inf on empty rows
  std::vector<c10::IValue> aux;  // what forward returned for this block
};

struct BackendGrads {
  at::Tensor dq, dk, dv;  // of this block, in the shapes and dtypes of q, k and v
};

// A local attention kernel pair with its declared contract. `forward` and `backward` run without
// autograd. Given the global `out` and `lse`, the sum of the blocks' gradients is the gradient of
// the whole: P_ij = exp(s_ij - lse_i), dS = P o (dout.v - rowsum(dout o out) + dlse).
struct Backend {
  std::string name;  // may carry a parameter: "cudnn_emulated:2.8"
  BackendContract contract;
  std::string device;  // where alone its kernel runs, "cpu" or "cuda"; empty: where its tensors are
  std::function<Support(const Problem&)> supports;  // the problem of the block it is given
  std::function<BackendForward(const BackendInputs&)> forward;
  std::function<BackendGrads(const BackendBackward&)> backward;
};

}  // namespace attncheck
