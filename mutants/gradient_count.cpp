#include "mutants/gradient_count.h"

#include <torch/csrc/autograd/custom_function.h>

#include "impl/autograd/kept.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct PassAndAux {
  AttentionPass pass;
  std::vector<std::vector<c10::IValue>> aux;
};

// Takes four inputs (q, k, v and the pass) and returns three gradients.
struct OneGradientFewer : torch::autograd::Function<OneGradientFewer> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                               const at::Tensor& v, const AttentionPass& pass) {
    AttentionForward result = pass.forward(q, k, v);
    ctx->save_for_backward(result.saved.tensors);
    ctx->saved_data["kept"] = keep_value(PassAndAux{pass, result.saved.aux});
    variable_list outputs{result.out};
    if (result.lse.defined()) outputs.push_back(result.lse);
    return outputs;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto& kept = kept_value<PassAndAux>(ctx->saved_data["kept"]);
    const at::Tensor grad_lse = grads.size() > 1 ? grads[1] : at::Tensor();
    const BackendGrads result =
        kept.pass.backward({ctx->get_saved_variables(), kept.aux}, grads[0], grad_lse);
    return {result.dq, result.dk, result.dv};
  }
};

Implementation one_gradient_fewer(const std::string& name, const Parent& parent) {
  Implementation implementation = implementation_of(name, parent);
  implementation.attention = [parent](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const AttentionOptions& options, const MeshGroups& groups) {
    check_call(parent.limits, q, k, v, options, groups);
    const variable_list outputs = OneGradientFewer::apply(q, k, v, parent.pass(options, groups));
    return Attention{outputs[0], options.return_lse ? outputs.at(1) : at::Tensor()};
  };
  return implementation;
}

}  // namespace

std::vector<Mutant> gradient_count_mutants() {
  constexpr const char* kProperty = "gradient_count_matches_inputs";
  return {
      make_mutant({.name = "A1",
                   .source = "diffusers #12761, fixed in PR 12693; yunchang #149",
                   .fault = "backward returns one gradient fewer than forward took inputs",
                   .property = kProperty,
                   .smallest = "mesh=1x2 q=2 h=2 d=1"},
                  one_gradient_fewer("one_gradient_fewer", ulysses_parent())),
      make_mutant({.name = "A2",
                   .source = "diffusers PR 12693",
                   .fault = "unified backward returns one empty gradient too few",
                   .property = kProperty,
                   .smallest = "mesh=2x2 q=4 h=2 d=1"},
                  one_gradient_fewer("one_empty_gradient_fewer", unified_parent())),
  };
}

}  // namespace attncheck
