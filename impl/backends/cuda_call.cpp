#include "impl/backends/cuda_call.h"

#include <cstdint>

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "impl/backends/operator_forms.h"
#include "impl/backends/visibility.h"
#include "problem/next_multiple.h"

namespace attncheck {
namespace {

constexpr uintptr_t kAligned = 16;  // bytes
constexpr int64_t kBiasRow = 16;    // elements

bool starts_aligned(const at::Tensor& x) {
  return reinterpret_cast<uintptr_t>(x.const_data_ptr()) % kAligned == 0;
}

}  // namespace

at::Tensor to_cuda_kernel(const at::Tensor& x, at::Device device) {
  at::Tensor there = x.contiguous().to(device);
  if (!starts_aligned(there)) there = there.clone();
  return there.transpose(1, 2);
}

at::Device cuda_device_of(const at::Tensor& x) {
  return x.is_cuda() ? x.device() : at::Device(at::kCUDA);
}

at::Tensor from_cuda_kernel(const at::Tensor& x, const at::Tensor& like) {
  return x.transpose(1, 2).to(like.device());
}

std::optional<at::Tensor> attn_bias(const BackendInputs& block, at::Device device) {
  if (says_is_causal(block)) return std::nullopt;
  const at::Tensor mask = additive_mask(block, block.q.scalar_type());
  if (!mask.defined()) return std::nullopt;
  const auto& q = block.q;
  const int64_t kv_len = block.k.size(1);
  const int64_t row = next_multiple(kv_len, kBiasRow);
  const auto options = q.options().device(device);
  const at::Tensor rows = at::zeros({q.size(0), q.size(2), q.size(1), row}, options);
  at::Tensor bias = rows.narrow(-1, 0, kv_len);
  bias.copy_(mask.expand_as(bias));
  return bias;
}

at::Tensor lse_for_kernel(const BackendBackward& call, at::Device device) {
  return lse_for_backward(call).transpose(1, 2).to(device, at::kFloat).contiguous();
}

BackendGrads with_lse_cotangent(const BackendBackward& call,
                                const std::function<BackendGrads(const BackendBackward&)>& kernel) {
  BackendBackward plain = call;
  plain.grad_lse = at::Tensor();
  const BackendGrads grads = kernel(plain);
  if (!call.grad_lse.defined()) return grads;
  plain.block.v = at::zeros_like(call.block.v);
  plain.block.v.select(3, 0).fill_(1.0);
  plain.grad_out = at::zeros_like(call.grad_out);
  plain.grad_out.select(3, 0).copy_(call.grad_lse);
  plain.out = at::zeros_like(call.out);
  const BackendGrads more = kernel(plain);
  return {grads.dq + more.dq, grads.dk + more.dk, grads.dv};
}

}  // namespace attncheck
