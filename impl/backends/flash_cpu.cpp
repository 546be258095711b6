#include "impl/backends/flash_cpu.h"

#include <optional>
#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>

#include "impl/backends/visibility.h"

namespace attncheck {
namespace {

// The op's vectorised exp on float16 and bfloat16 (Vectorized<float>::fexp_u20, after Malossi et
// al., "Fast exponential computation on SIMD architectures", 2015) computes 2^f, f in [0, 1), as
// 1 + f - (c0 + c1 f + c2 f^2 + c3 f^3). The cubic errs by c0 at most, and 2^f is at least 1.
constexpr double kFastExpError = 1.0703434948458272e-4;

// (B, S, H, D) -> (B, H, S, D) in memory that the op's matrix products can walk: rows without gaps,
// one after another.
at::Tensor to_kernel(const at::Tensor& x) {
  const bool unit_stride = x.stride(3) == 1 || x.size(3) == 1;
  const bool rows_apart = x.size(1) == 1 || x.stride(1) >= x.size(3);
  return (unit_stride && rows_apart ? x : x.contiguous()).transpose(1, 2);
}

// Grouped heads, (B, Skv, Hkv, D), as H heads.
at::Tensor expand_heads(const at::Tensor& x, int64_t group) {
  if (group == 1) return x;
  return x.unsqueeze(3)
      .expand({x.size(0), x.size(1), x.size(2), group, x.size(3)})
      .reshape({x.size(0), x.size(1), x.size(2) * group, x.size(3)});
}

// The gradient of expand_heads.
at::Tensor sum_heads(const at::Tensor& x, int64_t group) {
  if (group == 1) return x;
  return x.unflatten(2, {x.size(2) / group, group}).sum(3);
}

// A block as the op takes it.
struct KernelCall {
  explicit KernelCall(const BackendInputs& block)
      : group(block.q.size(2) / block.k.size(2)),
        q(to_kernel(block.q)),
        k(to_kernel(expand_heads(block.k, group))),
        v(to_kernel(expand_heads(block.v, group))),
        is_causal(!block.mask.defined() && block.diagonal == 0 && block.scale > 0) {
    TORCH_CHECK(block.q.size(3) == block.v.size(3), "flash_cpu: the head_dim of q and k, ",
                block.q.size(3), ", is not that of v, ", block.v.size(3));
    at::Tensor additive;
    if (!is_causal) additive = additive_mask(block, block.q.scalar_type());
    if (additive.defined()) mask = additive;
  }

  int64_t group;
  at::Tensor q, k, v;  // (B, H, S, D)
  bool is_causal;      // aligned top-left, as diagonal 0 is
  std::optional<at::Tensor> mask;
};

BackendForward flash_forward(const BackendInputs& block) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const KernelCall call(block);
  auto [out, lse] = at::_scaled_dot_product_flash_attention_for_cpu(
      call.q, call.k, call.v, /*dropout_p=*/0.0, call.is_causal, call.mask, block.scale);
  return {out.transpose(1, 2), lse, {}};
}

// (B, Sq, H) in the project's form -> (B, H, Sq) as the op wants it back.
at::Tensor kernel_lse(const BackendBackward& call) {
  const at::Tensor lse = call.lse.transpose(1, 2);
  if (!may_have_empty_rows(call.block)) return lse;
  return lse.masked_fill(lse == -kInfinity, kInfinity);
}

BackendGrads flash_backward(const BackendBackward& call) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const KernelCall kernel(call.block);
  auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
      to_kernel(call.grad_out), kernel.q, kernel.k, kernel.v, to_kernel(call.out), kernel_lse(call),
      /*dropout_p=*/0.0, kernel.is_causal, kernel.mask, call.block.scale);
  return {dq.transpose(1, 2), sum_heads(dk.transpose(1, 2), kernel.group),
          sum_heads(dv.transpose(1, 2), kernel.group)};
}

Support supports(const Problem& problem) {
  if (problem.head_dim == problem.v_head_dim) return Support::yes();
  return Support::no("flash_cpu wants dv = d: the head_dim of q and k is " +
                     std::to_string(problem.head_dim) + ", that of v " +
                     std::to_string(problem.v_head_dim));
}

}  // namespace

Backend flash_cpu_backend() {
  Backend backend;
  backend.name = "flash_cpu";
  backend.device = "cpu";
  backend.contract.lse_shape = LseShape::BHS;
  backend.contract.empty_row_lse = EmptyRowLse::zero;
  backend.contract.own_v_head_dim = false;
  backend.contract.narrow_exp_error = kFastExpError;
  backend.supports = supports;
  backend.forward = flash_forward;
  backend.backward = flash_backward;
  return backend;
}

}  // namespace attncheck
