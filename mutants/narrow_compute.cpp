#include "mutants/narrow_compute.h"

#include <vector>

#include <ATen/core/Tensor.h>

#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

at::Tensor narrowed(const at::Tensor& x) {
  return x.scalar_type() == at::kFloat ? x.to(at::kHalf) : x;
}

PassForward narrow_forward(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(narrowed(q), narrowed(k), narrowed(v));
    result.out = result.out.to(q.scalar_type());
    return result;
  };
}

PassBackward narrow_backward(const PassBackward& right) {
  return
      [right](const AttentionSaved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
        const BackendGrads grads = right(saved, narrowed(grad_out), grad_lse);
        const auto type = grad_out.scalar_type();
        return BackendGrads{grads.dq.to(type), grads.dk.to(type), grads.dv.to(type)};
      };
}

}  // namespace

Mutant computes_in_float16() {
  const Parent parent =
      with_backward(with_forward(unified_parent(), narrow_forward), narrow_backward);
  return make_mutant({.name = "A20",
                      .source = "mindone (compatibility layer)",
                      .fault = "float32 is computed in float16 and cast back",
                      .property = "output_matches_reference",
                      .smallest = "mesh=1x1 q=1 d=1 dtype=f32"},
                     implementation_of("computes_in_float16", parent));
}

}  // namespace attncheck
