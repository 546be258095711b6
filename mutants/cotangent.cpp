#include "mutants/cotangent.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

using Saved = AttentionSaved;

PassBackward takes_ones(const PassBackward& right) {
  return [right](const Saved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
    return right(saved, at::ones_like(grad_out), grad_lse);
  };
}

// A scale for the top of a narrow format that is not taken back. The ranks have tops of their own.
PassBackward scales_to_a_top_of_one(const PassBackward& right) {
  return [right](const Saved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
    const double top = grad_out.numel() == 0 ? 0 : grad_out.abs().max().item<double>();
    return right(saved, top == 0 ? grad_out : grad_out / top, grad_lse);
  };
}

at::Tensor uninitialised(const at::Tensor& x) {
  return at::empty(x.sizes(), x.options());
}

PassBackward fills_nothing(const PassBackward& right) {
  return [right](const Saved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
    const BackendGrads grads = right(saved, grad_out, grad_lse);
    return BackendGrads{uninitialised(grads.dq), uninitialised(grads.dk), uninitialised(grads.dv)};
  };
}

// (B, S, H, D) is taken for (B, H, S, D). Where the rank's shard has as many tokens as there are
// heads, nothing objects.
PassBackward transposes_again(const PassBackward& right) {
  return [right](const Saved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
    const at::Tensor transposed = grad_out.transpose(1, 2);
    TORCH_CHECK(transposed.sizes() == grad_out.sizes(), "the gradient of the output is ",
                transposed.sizes(), ", the output ", grad_out.sizes());
    return right(saved, transposed, grad_lse);
  };
}

PassBackward zero_dq(const PassBackward& right) {
  return [right](const Saved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
    const BackendGrads grads = right(saved, grad_out, grad_lse);
    return BackendGrads{at::zeros_like(grads.dq), grads.dk, grads.dv};
  };
}

}  // namespace

std::vector<Mutant> cotangent_mutants() {
  return {
      make_mutant({.name = "A3",
                   .source = "mindone PR 1438 (native)",
                   .fault = "backward ignores the incoming gradient: right for ones alone",
                   .property = "vjp_is_linear_in_cotangent",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  implementation_of("takes_ones", with_backward(unified_parent(), takes_ones))),
      make_mutant(
          {.name = "A4",
           .source = "mindone PR 1438 (flash)",
           .fault = "backward returns uninitialised buffers of the right shape",
           .property = "nothing_uninitialised_is_read",
           .smallest = "mesh=1x2 q=2 h=2 d=8"},
          implementation_of("fills_nothing", with_backward(ulysses_parent(), fills_nothing))),
      make_mutant(
          {.name = "A8",
           .source = "diffusers PR 13328",
           .fault = "the incoming gradient is transposed (s, h), though already in layout",
           .property = "gradients_match_reference",
           .smallest = "mesh=1x2 q=4 h=2 d=1"},
          implementation_of("transposes_again", with_backward(ulysses_parent(), transposes_again))),
      make_mutant({.name = "A16",
                   .source = "ColossalAI, TransformerEngine (tests)",
                   .fault = "the incoming gradient is scaled to a top of one: right for ones alone",
                   .property = "vjp_is_linear_in_cotangent",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  implementation_of("scales_to_a_top_of_one",
                                    with_backward(unified_parent(), scales_to_a_top_of_one))),
      make_mutant({.name = "A19",
                   .source = "passes torch's own ring test",
                   .fault = "dq is zero",
                   .property = "gradients_match_reference",
                   .smallest = "mesh=1x1 q=1 kv=2 d=1"},
                  implementation_of("zero_dq", with_backward(ring_parent(), zero_dq))),
  };
}

}  // namespace attncheck
