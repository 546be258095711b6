#include "impl/autograd/attention_function.h"

#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "impl/autograd/kept.h"

namespace attncheck {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What the backward needs and autograd does not save.
struct PassState {
  AttentionPass pass;
  std::vector<std::vector<c10::IValue>> aux;
  std::vector<int64_t> out_sizes;
  at::TensorOptions out_options;
};

struct AttentionNode : torch::autograd::Function<AttentionNode> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                               const at::Tensor& v, const AttentionPass& pass) {
    AttentionForward result = pass.forward(q, k, v);
    ctx->set_materialize_grads(false);
    ctx->save_for_backward(std::move(result.saved.tensors));
    ctx->saved_data["state"] = keep_value(PassState{
        pass, std::move(result.saved.aux), result.out.sizes().vec(), result.out.options()});
    variable_list outputs{result.out};
    if (result.lse.defined()) outputs.push_back(result.lse);
    return outputs;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    TORCH_CHECK(!c10::GradMode::is_enabled(), "a second derivative of attention is not supported");
    const PassState& state = kept_value<PassState>(ctx->saved_data["state"]);
    at::Tensor grad_out = grads[0];
    if (!grad_out.defined()) grad_out = at::zeros(state.out_sizes, state.out_options);
    const at::Tensor grad_lse = grads.size() > 1 ? grads[1] : at::Tensor();
    BackendGrads result =
        state.pass.backward({ctx->get_saved_variables(), state.aux}, grad_out, grad_lse);
    return {result.dq, result.dk, result.dv, at::Tensor()};
  }
};

}  // namespace

Attention differentiable_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   AttentionPass pass) {
  variable_list outputs = AttentionNode::apply(q, k, v, pass);
  return {outputs[0], outputs.size() > 1 ? outputs[1] : at::Tensor()};
}

}  // namespace attncheck
