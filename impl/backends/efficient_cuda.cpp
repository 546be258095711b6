#include "impl/backends/efficient_cuda.h"

#include <array>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward.h>
#include <ATen/ops/constant_pad_nd.h>

#include "impl/backends/cuda_call.h"
#include "impl/backends/cuda_device.h"
#include "impl/backends/cuda_support.h"
#include "impl/backends/operator_forms.h"
#include "impl/backends/visibility.h"
#include "impl/contract/raw_form.h"

namespace attncheck {
namespace {

struct EfficientCall {
  explicit EfficientCall(const BackendInputs& block)
      : group(block.q.size(2) / block.k.size(2)),
        device(cuda_device_of(block.q)),
        q(to_cuda_kernel(block.q, device)),
        k(to_cuda_kernel(with_all_heads(block.k, group), device)),
        v(to_cuda_kernel(with_all_heads(block.v, group), device)),
        is_causal(says_is_causal(block)),
        bias(attn_bias(block, device)) {}

  int64_t group;
  at::Device device;
  at::Tensor q, k, v;  // (B, H, S, D)
  bool is_causal;
  std::optional<at::Tensor> bias;
};

BackendForward efficient_forward(const BackendInputs& block) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const EfficientCall call(block);
  const auto [out, lse, seed, offset] = at::_scaled_dot_product_efficient_attention(
      call.q, call.k, call.v, call.bias, /*compute_log_sumexp=*/true, /*dropout_p=*/0.0,
      call.is_causal, block.scale);
  return {from_cuda_kernel(out, block.q),
          lse.to(block.q.device()),
          {seed, offset},
          {out, lse, seed, offset}};
}

BackendGrads efficient_plain_backward(const BackendBackward& call) {
  const EfficientCall kernel(call.block);
  const at::Tensor lse = lse_for_kernel(call, kernel.device);
  const int64_t rows = lse.size(-1);
  constexpr std::array<bool, 4> kWanted{true, true, true, false};  // dq, dk, dv, not the bias's
  const auto [dq, dk, dv, no_bias] = at::_scaled_dot_product_efficient_attention_backward(
      to_cuda_kernel(call.grad_out, kernel.device), kernel.q, kernel.k, kernel.v,
      kernel.bias.value_or(at::Tensor()), to_cuda_kernel(call.out, kernel.device),
      at::constant_pad_nd(lse, {0, padded_to_32(rows) - rows}, kInfinity),
      call.aux.at(0).toTensor(), call.aux.at(1).toTensor(), /*dropout_p=*/0.0, kWanted,
      kernel.is_causal, call.block.scale);
  return {from_cuda_kernel(dq, call.block.q),
          sum_of_groups(from_cuda_kernel(dk, call.block.k), kernel.group),
          sum_of_groups(from_cuda_kernel(dv, call.block.v), kernel.group)};
}

BackendGrads efficient_backward(const BackendBackward& call) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  return with_lse_cotangent(call, efficient_plain_backward);
}

BackendContract efficient_contract() {
  BackendContract contract;
  contract.op = "aten::_scaled_dot_product_efficient_attention";
  contract.layout = KernelLayout::BHSD;
  contract.out_memory = MemoryOrder::sequence_first;
  contract.lse_shape = LseShape::BHS32;
  contract.lse_memory = MemoryOrder::as_shaped;
  contract.lse_dtype = LseDType::float32;
  contract.takes.causal = KernelCausal::top_left;
  contract.takes.boolean_mask = false;
  contract.takes.grouped_heads = false;
  contract.takes.head_dim_multiple = 8;  // 16 bytes: 4 in float32
  contract.takes.dtypes = {DType::f32, DType::bf16, DType::f16};
  contract.saved = {"q", "k", "v", "out", "lse", "philox_seed", "philox_offset"};
  contract.takes_grad_lse = true;
  contract.deterministic = false;
  return contract;
}

Support efficient_supports(const Problem& problem) {
  const CudaDevice device = cuda_device();
  return device.here ? efficient_cuda_support(problem, device.sm) : device.here;
}

}  // namespace

Backend efficient_cuda_backend() {
  Backend backend;
  backend.name = "efficient_cuda";
  backend.device = "cuda";
  backend.contract = efficient_contract();
  backend.supports = efficient_supports;
  backend.forward = efficient_forward;
  backend.backward = efficient_backward;
  return backend;
}

}  // namespace attncheck
