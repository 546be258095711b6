#include "mutants/house_gradients.h"

#include <ATen/ops/add.h>
#include <ATen/ops/zeros_like.h>

#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

using ChangeGradients = BackendGrads (*)(const BackendGrads&);

// The right gradients, changed before autograd gets them.
Implementation with_gradients(const std::string& name, ChangeGradients change) {
  const auto changed = [change](const PassBackward& right) -> PassBackward {
    return [=](const AttentionSaved& saved, const at::Tensor& grad_out,
               const at::Tensor& grad_lse) { return change(right(saved, grad_out, grad_lse)); };
  };
  return implementation_of(name, with_backward(unified_parent(), changed));
}

BackendGrads without_dv(const BackendGrads& grads) {
  return {grads.dq, grads.dk, at::Tensor()};
}

BackendGrads without_dk(const BackendGrads& grads) {
  return {grads.dq, at::zeros_like(grads.dk), grads.dv};
}

// As if the gradient of the scores were computed for dq's sake alone.
Implementation dk_beside_dq_alone() {
  Implementation implementation = implementation_of("dk_beside_dq_alone", unified_parent());
  implementation.attention = [right = implementation.attention,
                              wrong = with_gradients("without_dk", without_dk).attention](
                                 const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 const AttentionOptions& options, const MeshGroups& groups) {
    return (q.requires_grad() ? right : wrong)(q, k, v, options, groups);
  };
  return implementation;
}

at::Tensor through_a_narrower_dtype(const at::Tensor& x) {
  const at::ScalarType dtype = x.scalar_type();
  return x.to(dtype == at::kDouble ? at::kFloat : at::kBFloat16).to(dtype);
}

BackendGrads on_a_coarser_grid(const BackendGrads& grads) {
  return {through_a_narrower_dtype(grads.dq), through_a_narrower_dtype(grads.dk),
          through_a_narrower_dtype(grads.dv)};
}

// As a ring that was written for bfloat16 ends, on float16 alone.
BackendGrads dq_in_bfloat16(const BackendGrads& grads) {
  if (grads.dq.scalar_type() != at::kHalf) return grads;
  return {through_a_narrower_dtype(grads.dq), grads.dk, grads.dv};
}

BackendGrads with_a_constant(const BackendGrads& grads) {
  constexpr double kConstant = 0.125;
  return {grads.dq, grads.dk, at::add(grads.dv, kConstant)};
}

}  // namespace

std::vector<Mutant> house_gradient_mutants() {
  return {
      make_mutant({.name = "house_dv_is_undefined",
                   .source = "house",
                   .fault = "backward returns no gradient for v",
                   .property = "every_required_gradient_is_defined",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  with_gradients("without_dv", without_dv)),
      make_mutant({.name = "house_dk_needs_dq",
                   .source = "house",
                   .fault = "dk is zero unless q requires grad as well",
                   .property = "gradients_do_not_depend_on_who_else_requires_grad",
                   .smallest = "mesh=1x1 q=1 kv=2 d=1"},
                  dk_beside_dq_alone()),
      make_mutant({.name = "house_gradients_on_a_coarser_grid",
                   .source = "house",
                   .fault = "gradients pass through a narrower dtype and are cast back",
                   .property = "gradient_dtype_and_shape_match_input",
                   .smallest = "mesh=1x1 q=1 d=8"},
                  with_gradients("on_a_coarser_grid", on_a_coarser_grid)),
      make_mutant({.name = "house_dq_in_bfloat16",
                   .source = "ring-flash-attn 0.1.8 and yunchang 0.6.4, found here",
                   .fault = "dq is cast to bfloat16, of float16 inputs as well",
                   .property = "gradient_dtype_and_shape_match_input",
                   .smallest = "mesh=1x1 q=8 kv=2 d=8 dtype=f16"},
                  with_gradients("dq_in_bfloat16", dq_in_bfloat16)),
      make_mutant({.name = "house_constant_in_dv",
                   .source = "house",
                   .fault = "a constant is added to dv",
                   .property = "zero_cotangent_gives_zero_gradient",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  with_gradients("with_a_constant", with_a_constant)),
  };
}

}  // namespace attncheck
