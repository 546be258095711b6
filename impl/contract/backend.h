#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "impl/contract/support.h"
#include "problem/problem.h"

namespace attncheck {

// The shape of the log-sum-exp that a kernel returns.
enum class LseShape {
  BHS,   // (B, H, S)
  BHS1,  // (B, H, S, 1)
  BSH,   // (B, S, H), the project's form
};

// What a kernel returns in the log-sum-exp of a row that sees no key.
enum class EmptyRowLse { minus_infinity, plus_infinity, zero };

// What a backend declares of its kernel; properties hold the kernel to it.
struct BackendContract {
  LseShape lse_shape = LseShape::BSH;
  EmptyRowLse empty_row_lse = EmptyRowLse::minus_infinity;
  double lse_base = 2.718281828459045;  // the base of the raw log-sum-exp
  bool takes_grad_lse = false;          // backward accepts a cotangent of the log-sum-exp
  bool grouped_heads = true;            // H may be a multiple of Hkv
  bool own_v_head_dim = true;           // the head_dim of v may differ from that of q and k
  bool masks = true;                    // a boolean or additive mask
  bool lse = true;                      // forward returns a log-sum-exp at all
  bool deterministic = true;
};

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
  std::function<Support(const Problem&)> supports;  // the problem of the block it is given
  std::function<BackendForward(const BackendInputs&)> forward;
  std::function<BackendGrads(const BackendBackward&)> backward;
};

}  // namespace attncheck
