#pragma once

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
  // The relative error of the kernel's exp on float16 and bfloat16 inputs, where it is more than
  // float32's: fused kernels take a faster exp there.
  double narrow_exp_error = 0.0;
};

}  // namespace attncheck
