#include "mutants/house_memory.h"

#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/as_strided.h>

#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

// Elements that share memory cannot be written.
bool is_writable(const at::Tensor& x) {
  for (int64_t axis = 0; axis < x.dim(); ++axis) {
    if (x.stride(axis) == 0 && x.size(axis) > 1) return false;
  }
  return true;
}

// The scale goes into q, so that the kernel needs none.
AttentionPass scales_q_in_place(AttentionOptions options, const MeshGroups& groups) {
  const double scale = std::exchange(options.scale, 1.0);
  AttentionPass pass = unified_parent().pass(options, groups);
  pass.forward = [scale, right = pass.forward](at::Tensor q, const at::Tensor& k,
                                               const at::Tensor& v) {
    return right(is_writable(q) ? q.mul_(scale) : q.mul(scale), k, v);
  };
  pass.backward = [scale, right = pass.backward](const AttentionSaved& saved,
                                                 const at::Tensor& grad_out,
                                                 const at::Tensor& grad_lse) {
    BackendGrads grads = right(saved, grad_out, grad_lse);
    grads.dq = grads.dq.mul(scale);
    return grads;
  };
  return pass;
}

// (B, S, H, D) row by row from the beginning of the storage, as from a bare pointer; where that
// holds fewer elements, as it should be.
at::Tensor in_memory_order(const at::Tensor& x) {
  const auto held = static_cast<int64_t>(x.storage().nbytes() / x.element_size());
  if (held < x.numel()) return x;
  const int64_t d = x.size(3), row = x.size(2) * d;
  return at::as_strided(x, x.sizes(), {x.size(1) * row, row, d, 1}, /*storage_offset=*/0);
}

PassBackward reads_memory_order(const PassBackward& right) {
  return
      [right](const AttentionSaved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
        return right(saved, in_memory_order(grad_out), grad_lse);
      };
}

}  // namespace

std::vector<Mutant> house_memory_mutants() {
  return {
      make_mutant(
          {.name = "house_scales_q_in_place",
           .source = "house",
           .fault = "forward multiplies the caller's q by the scale, in place",
           .property = "inputs_are_not_modified",
           .smallest = "mesh=1x1 q=1 d=2 dv=1"},
          implementation_of("scales_q_in_place", {unified_parent().limits, scales_q_in_place})),
      make_mutant({.name = "house_cotangent_in_memory_order",
                   .source = "house",
                   .fault = "backward reads the incoming gradient as if it were contiguous",
                   .property = "views_and_strides_do_not_matter",
                   .smallest = "mesh=1x1 q=1 d=1 view=offset"},
                  implementation_of("reads_memory_order",
                                    with_backward(ring_parent(), reads_memory_order))),
  };
}

}  // namespace attncheck
