#include "impl/backends/native.h"

#include <optional>
#include <vector>

#include <ATen/core/ivalue.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include "impl/backends/flash_cpu.h"
#include "impl/backends/operator_forms.h"
#include "impl/backends/visibility.h"

namespace attncheck {
namespace {

// (B, Skv, Hkv, D) -> (B, H, Skv, D): grouped heads as H heads.
at::Tensor keys_to_native(const at::Tensor& x, int64_t heads) {
  const at::Tensor by_head = x.transpose(1, 2);
  if (x.size(2) == heads) return by_head;
  return by_head.unsqueeze(2)
      .expand({x.size(0), x.size(2), heads / x.size(2), x.size(1), x.size(3)})
      .reshape({x.size(0), heads, x.size(1), x.size(3)});
}

// The additive mask with zeros in the rows that hide every key: (B, H, Sq, Skv).
at::Tensor without_empty_rows(const at::Tensor& mask, const BackendInputs& block) {
  const auto& q = block.q;
  const at::Tensor whole =
      mask.expand({q.size(0), q.size(2), q.size(1), block.k.size(1)}).transpose(1, 2);
  return fill_empty_rows(whole, block, 0.0).transpose(1, 2);
}

std::optional<at::Tensor> native_mask(const BackendInputs& block) {
  const at::Tensor mask = additive_mask(block, block.q.scalar_type());
  if (!mask.defined()) return std::nullopt;
  return may_have_empty_rows(block) ? without_empty_rows(mask, block) : mask;
}

// (B, H, Sq, Dv), differentiable where grad mode is on.
at::Tensor native_attention(const BackendInputs& block) {
  const bool is_causal = says_is_causal(block);
  const auto mask = is_causal ? std::nullopt : native_mask(block);
  const int64_t heads = block.q.size(2);
  return at::scaled_dot_product_attention(block.q.transpose(1, 2), keys_to_native(block.k, heads),
                                          keys_to_native(block.v, heads), mask, /*dropout_p=*/0.0,
                                          is_causal, block.scale);
}

BackendForward native_forward(const BackendInputs& block) {
  const c10::AutoGradMode no_graph(false);
  const at::Tensor out = native_attention(block);
  return {out.transpose(1, 2), {}, {}, {out}};
}

at::Tensor leaf_of(const at::Tensor& x) {
  return x.detach().requires_grad_(true);
}

BackendGrads native_backward(const BackendBackward& call) {
  TORCH_CHECK(!call.grad_lse.defined(), "native has no log-sum-exp that could have a gradient");
  const c10::AutoGradMode graph(true);
  BackendInputs again = call.block;
  again.q = leaf_of(call.block.q);
  again.k = leaf_of(call.block.k);
  again.v = leaf_of(call.block.v);
  const auto grads =
      torch::autograd::grad({native_attention(again).transpose(1, 2)}, {again.q, again.k, again.v},
                            {fill_empty_rows(call.grad_out, call.block, 0.0)});
  return {grads[0], grads[1], grads[2]};
}

}  // namespace

Backend native_backend() {
  Backend backend;
  backend.name = "native";
  backend.contract.op = "aten::scaled_dot_product_attention";
  backend.contract.layout = KernelLayout::BHSD;
  backend.contract.takes.causal = KernelCausal::top_left;
  backend.contract.lse = false;
  backend.contract.saved = {"q", "k", "v"};
  // On CPU its choice is flash_cpu's kernel wherever that one can.
  backend.contract.narrow_exp_error = flash_cpu_backend().contract.narrow_exp_error;
  backend.supports = [](const Problem&) { return Support::yes(); };
  backend.forward = native_forward;
  backend.backward = native_backward;
  return backend;
}

}  // namespace attncheck
