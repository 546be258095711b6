#include "impl/backends/cudnn.h"

#include <tuple>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>
#include <torch/version.h>

#include "impl/backends/cuda_call.h"
#include "impl/backends/cuda_device.h"
#include "impl/backends/cuda_support.h"
#include "impl/backends/operator_forms.h"

namespace attncheck {
namespace {

constexpr bool kStatsKeepAxis = TORCH_VERSION_MAJOR > 2 ||
                                (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 9);

struct CudnnCall {
  explicit CudnnCall(const BackendInputs& block)
      : device(cuda_device_of(block.q)),
        q(to_cuda_kernel(block.q, device)),
        k(to_cuda_kernel(block.k, device)),
        v(to_cuda_kernel(block.v, device)),
        is_causal(says_is_causal(block)),
        bias(attn_bias(block, device)) {}

  at::Device device;
  at::Tensor q, k, v;  // (B, H, S, D)
  bool is_causal;
  std::optional<at::Tensor> bias;
};

BackendForward cudnn_forward(const BackendInputs& block) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const CudnnCall call(block);
  const auto all = at::_scaled_dot_product_cudnn_attention(
      call.q, call.k, call.v, call.bias, /*compute_log_sumexp=*/true, /*dropout_p=*/0.0,
      call.is_causal, /*return_debug_mask=*/false, block.scale);
  const auto& [out, lse, cum_q, cum_k, max_q, max_k, seed, offset, debug] = all;
  return {from_cuda_kernel(out, block.q),
          lse.to(block.q.device()),
          {seed, offset},
          {out, lse, cum_q, cum_k, max_q, max_k, seed, offset, debug}};
}

BackendGrads cudnn_plain_backward(const BackendBackward& call) {
  const CudnnCall kernel(call.block);
  at::Tensor lse = lse_for_kernel(call, kernel.device);
  if (kStatsKeepAxis) lse = lse.unsqueeze(-1);
  const at::Tensor no_lengths;  // of sequences packed into one: there are none
  const auto [dq, dk, dv] = at::_scaled_dot_product_cudnn_attention_backward(
      to_cuda_kernel(call.grad_out, kernel.device), kernel.q, kernel.k, kernel.v,
      to_cuda_kernel(call.out, kernel.device), lse, /*philox_seed=*/call.aux.at(0).toTensor(),
      /*philox_offset=*/call.aux.at(1).toTensor(), kernel.bias.value_or(at::Tensor()), no_lengths,
      no_lengths, /*max_q=*/kernel.q.size(2), /*max_k=*/kernel.k.size(2), /*dropout_p=*/0.0,
      kernel.is_causal, call.block.scale);
  return {from_cuda_kernel(dq, call.block.q), from_cuda_kernel(dk, call.block.k),
          from_cuda_kernel(dv, call.block.v)};
}

BackendGrads cudnn_backward(const BackendBackward& call) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  return with_lse_cotangent(call, cudnn_plain_backward);
}

BackendContract cudnn_contract() {
  BackendContract contract;
  contract.op = "aten::_scaled_dot_product_cudnn_attention";
  contract.releases = kStatsKeepAxis ? Releases{"2.9", ""} : Releases{"2.5", "2.9"};
  contract.layout = KernelLayout::BHSD;
  contract.out_memory = MemoryOrder::sequence_first;  // as q lies
  contract.lse_shape = kStatsKeepAxis ? LseShape::BHS1 : LseShape::BHS;
  contract.lse_memory = MemoryOrder::as_shaped;
  contract.lse_dtype = LseDType::float32;
  contract.takes.causal = KernelCausal::top_left;
  contract.takes.boolean_mask = false;
  contract.takes.head_dim_multiple = 8;
  contract.takes.greatest_head_dim = 128;
  contract.takes.dtypes = {DType::bf16, DType::f16};
  contract.saved = {"q", "k", "v", "out", "lse", "philox_seed", "philox_offset"};
  contract.takes_grad_lse = true;
  contract.deterministic = false;  // check_cudnn_deterministic of ATen's sdp_utils.cpp
  return contract;
}

Support supports_on_device(const Problem& problem) {
  const CudaDevice device = cuda_device();
  return device.here ? cudnn_support(problem, device.sm) : device.here;
}

}  // namespace

Backend cudnn_backend() {
  Backend backend;
  backend.name = "cudnn";
  backend.device = "cuda";
  backend.contract = cudnn_contract();
  backend.supports = supports_on_device;
  backend.forward = cudnn_forward;
  backend.backward = cudnn_backward;
  return backend;
}

}  // namespace attncheck
