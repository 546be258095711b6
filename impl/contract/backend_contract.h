#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace attncheck {

// The axes of q, k and v as the kernel takes them, and of out as it returns it.
enum class KernelLayout {
  BSHD,  // (B, S, H, D), the project's form
  BHSD,  // (B, H, S, D)
};

// The shape of the log-sum-exp that a kernel returns.
enum class LseShape {
  BHS,    // (B, H, S)
  BHS1,   // (B, H, S, 1)
  BSH,    // (B, S, H), the project's form
  BHS32,  // (B, H, S up to the next multiple of 32), +inf in the rows behind the last query
};

// How a returned tensor lies in memory.
enum class MemoryOrder {
  undeclared,      // in any way
  as_shaped,       // contiguous in the shape that it has
  sequence_first,  // as a contiguous tensor of axes (B, S, H, ...) would, whatever its shape
};

// The dtype of a kernel's log-sum-exp.
enum class LseDType {
  wide,     // the wider of q's dtype and float32, the project's form
  float32,  // whatever q is
  of_q,
};

// What a kernel returns in the log-sum-exp of a row that sees no key.
enum class EmptyRowLse { minus_infinity, plus_infinity, zero };

// The diagonals that a kernel is told of by itself, without a mask.
enum class KernelCausal {
  none,
  top_left,      // key j is seen by query i iff j <= i
  bottom_right,  // iff j <= i + kv_len - q_len
  any_diagonal,  // iff j <= i + any integer
};

// The releases of LibTorch from `from` on and before `before`, such as "2.9"; empty: open.
struct Releases {
  std::string from, before;
  bool operator==(const Releases&) const = default;
};

// What the kernel itself takes, which its backend makes of what it is given, or refuses.
struct KernelTakes {
  KernelCausal causal = KernelCausal::any_diagonal;
  bool additive_mask = true;
  bool boolean_mask = true;
  bool grouped_heads = true;      // H may be a multiple of Hkv
  bool own_v_head_dim = true;     // the head_dim of v may differ from that of q and k
  int64_t head_dim_multiple = 1;  // of this
  int64_t greatest_head_dim = 0;  // at most this; 0: no limit
  std::vector<DType> dtypes{DType::f64, DType::f32, DType::bf16, DType::f16};
};

// A habit of the kernel that no field above names and that whoever calls it must know of.
struct Quirk {
  std::string name;  // "kv_len 0"
  std::string what;  // what then happens, in a line
  Releases releases;
};

// What a backend declares of its kernel; properties hold the kernel to it.
struct BackendContract {
  // The schema's name of the operator, "aten::_scaled_dot_product_...", as the dispatcher has it;
  // empty where the kernel is no operator. BackendForward::returned is then out and lse alone.
  std::string op;
  Releases releases;  // for which all of this is true

  // What the kernel takes and returns, before the backend makes the project's form of it.
  KernelLayout layout = KernelLayout::BSHD;
  MemoryOrder out_memory = MemoryOrder::undeclared;
  LseShape lse_shape = LseShape::BSH;
  MemoryOrder lse_memory = MemoryOrder::undeclared;
  LseDType lse_dtype = LseDType::wide;
  EmptyRowLse empty_row_lse = EmptyRowLse::minus_infinity;
  double lse_base = 2.718281828459045;  // the base of the raw log-sum-exp
  KernelTakes takes;
  // What the kernel's backward wants to see again, in its order: "q", "k", "v", "out", "lse", and
  // the names of what BackendForward::aux carries, one for each of its values.
  std::vector<std::string> saved{"q", "k", "v", "out", "lse"};
  std::vector<Quirk> quirks;

  // What the backend as a whole does.
  bool takes_grad_lse = false;  // backward accepts a cotangent of the log-sum-exp
  bool grouped_heads = true;    // H may be a multiple of Hkv
  bool own_v_head_dim = true;   // the head_dim of v may differ from that of q and k
  bool masks = true;            // a boolean or additive mask
  bool lse = true;              // forward returns a log-sum-exp at all
  bool deterministic = true;
  // The relative error of the kernel's exp on float16 and bfloat16 inputs, where it is more than
  // float32's: fused kernels take a faster exp there.
  double narrow_exp_error = 0.0;
};

}  // namespace attncheck
