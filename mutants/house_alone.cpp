#include "mutants/house_alone.h"

#include <memory>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/maximum.h>

#include "impl/backends/math.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

// Any mesh; it exchanges more than a method does, so it declares none.
Parent undeclared_parent() {
  return {unified_parent().limits, unified_parent().pass, Method::other};
}

// The right log-sum-exp and the right backward: out alone is off, by rounding that is the same on
// every mesh and exact on grids.
PassForward with_values_in_float32(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    result.out = right(q, k, v.to(at::kFloat).to(v.scalar_type())).out;
    return result;
  };
}

AttentionPass leaves_the_bias_out_of_lse(const AttentionOptions& options,
                                         const MeshGroups& groups) {
  AttentionPass pass = unified_parent().pass(options, groups);
  if (!options.mask.defined() || !options.mask.is_floating_point()) return pass;
  AttentionOptions plain = options;
  plain.mask = options.mask.isneginf().logical_not();
  pass.forward = [right = pass.forward, of_lse = unified_parent().pass(plain, groups).forward](
                     const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    result.lse = of_lse(q, k, v).lse;
    return result;
  };
  return pass;
}

// Where lse has a gradient, another path is taken, which is right.
PassBackward takes_the_mean_over_query_heads(const PassBackward& right) {
  return
      [right](const AttentionSaved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
        BackendGrads grads = right(saved, grad_out, grad_lse);
        const int64_t heads = saved.tensors.at(0).size(2), kv_heads = saved.tensors.at(2).size(2);
        if (!grad_lse.defined()) grads.dv = grads.dv.mul(kv_heads).div(heads);
        return grads;
      };
}

// Every rank makes both calls: what it has of a cotangent, others need not have.
PassBackward keeps_lse_from_keys(const PassBackward& right) {
  return [right](const AttentionSaved& saved, const at::Tensor& grad_out,
                 const at::Tensor& grad_lse) -> BackendGrads {
    const BackendGrads with = right(saved, grad_out, grad_lse);
    const BackendGrads without = right(saved, grad_out, at::Tensor());
    return {with.dq, without.dk, with.dv};
  };
}

// The largest element as a power of two, so that dividing by it and back is exact.
at::Tensor magnitude(const at::Tensor& x) {
  return x.numel() == 0 ? x.new_ones({}) : x.abs().amax().log2().floor().exp2();
}

// 0 / 0 where every cotangent is zero, and exact elsewhere.
Backend scales_by_the_largest_cotangent() {
  Backend backend = math_backend();
  backend.name = "scales_by_the_largest_cotangent";
  backend.backward = [right = backend.backward](BackendBackward call) -> BackendGrads {
    at::Tensor largest = magnitude(call.grad_out);
    if (call.grad_lse.defined()) {
      largest = at::maximum(largest, magnitude(call.grad_lse));
      call.grad_lse = call.grad_lse.div(largest);
    }
    call.grad_out = call.grad_out.div(largest);
    const BackendGrads grads = right(call);
    return {grads.dq.mul(largest), grads.dk.mul(largest), grads.dv.mul(largest)};
  };
  return backend;
}

AttentionPass leaves_out_in_float32(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass pass = unified_parent().pass(options, groups);
  pass.forward = [right = pass.forward](const at::Tensor& q, const at::Tensor& k,
                                        const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    if (result.out.element_size() < 4) result.out = result.out.to(at::kFloat);
    return result;
  };
  pass.backward = [right = pass.backward](const AttentionSaved& saved, const at::Tensor& grad_out,
                                          const at::Tensor& grad_lse) {
    return right(saved, grad_out.to(saved.tensors.at(0).scalar_type()), grad_lse);
  };
  return pass;
}

// Exact but for the last bits: 1/3 of it, three times.
AttentionPass sums_otherwise_without_lse(const AttentionOptions& options,
                                         const MeshGroups& groups) {
  AttentionPass pass = unified_parent().pass(options, groups);
  if (options.return_lse) return pass;
  pass.forward = [right = pass.forward](const at::Tensor& q, const at::Tensor& k,
                                        const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    const at::Tensor third = result.out.div(3);
    result.out = third + third + third;
    return result;
  };
  return pass;
}

// A backend whose forward copies every block's keys; the copies live as long as the call's graph.
AttentionPass copies_every_block(AttentionOptions options, const MeshGroups& groups) {
  const auto copies = std::make_shared<std::vector<at::Tensor>>();
  const auto backend = std::make_shared<Backend>(*options.backend);
  backend->forward = [copies, right = backend->forward](const BackendInputs& block) {
    for (const at::Tensor& x : {block.k, block.v}) copies->push_back(x.clone());
    return right(block);
  };
  options.backend = backend.get();
  AttentionPass pass = ring_parent().pass(options, groups);
  pass.backward = [backend, right = pass.backward](
                      const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) { return right(saved, grad_out, grad_lse); };
  return pass;
}

Backend gradients_in_float32() {
  Backend backend = math_backend();
  backend.name = "gradients_in_float32";
  backend.backward = [right = backend.backward](const BackendBackward& call) -> BackendGrads {
    const BackendGrads grads = right(call);
    return {grads.dq.to(at::kFloat), grads.dk.to(at::kFloat), grads.dv.to(at::kFloat)};
  };
  return backend;
}

Mutant alone(const char* name, const char* fault, const char* property, const char* smallest,
             Subject subject) {
  return make_mutant({name, "house", fault, property, smallest}, std::move(subject));
}

Implementation made_of(const char* name, const Parent& parent) {
  return implementation_of(name, parent);
}

}  // namespace

std::vector<Mutant> house_alone_mutants() {
  return {
      alone("house_values_in_float32", "forward reads v in float32 for out, backward as it is",
            "output_matches_reference", "mesh=1x1 q=1 d=1",
            made_of("with_values_in_float32",
                    with_forward(undeclared_parent(), with_values_in_float32))),
      alone("house_lse_without_the_bias", "lse is that of the scores before the mask is added",
            "lse_matches_reference", "mesh=1x1 q=1 d=1 mask=additive",
            made_of("leaves_the_bias_out_of_lse",
                    {unified_parent().limits, leaves_the_bias_out_of_lse})),
      alone("house_mean_over_query_heads",
            "dv is a mean over the query heads of a group, where lse has no gradient",
            "gradients_match_reference", "mesh=1x1 q=1 h=2 hkv=1 d=1",
            made_of("takes_the_mean_over_query_heads",
                    with_backward(unified_parent(), takes_the_mean_over_query_heads))),
      alone(
          "house_keys_without_the_gradient_of_lse",
          "the gradient of lse reaches the queries, and not the keys",
          "lse_gradient_flows_or_is_refused", "mesh=1x1 q=1 d=1",
          made_of("keeps_lse_from_keys", with_backward(undeclared_parent(), keeps_lse_from_keys))),
      alone("house_out_stays_in_float32", "out is left in the dtype of the sums",
            "out_and_lse_have_declared_dtype", "mesh=1x1 q=1 d=1 dtype=bf16",
            made_of("leaves_out_in_float32", {unified_parent().limits, leaves_out_in_float32})),
      alone("house_sums_otherwise_without_lse",
            "where no lse is asked for, out is summed otherwise: its last bits differ",
            "return_lse_changes_nothing_else", "mesh=1x1 q=4 h=2 d=4",
            made_of("sums_otherwise_without_lse",
                    {unified_parent().limits, sums_otherwise_without_lse})),
      alone(
          "house_copies_every_block", "a copy of every block of keys is kept for backward",
          "peak_memory_stays_within_shards", "mesh=4x1 rotate=p2p q=4 kv=32 d=4",
          made_of("copies_every_block", {ring_parent().limits, copies_every_block, Method::ring})),
      alone("house_kernel_gradients_in_float32",
            "a kernel's gradients are left in the dtype of its sums",
            "gradient_dtype_and_shape_match_input", "mesh=1x1 q=1 d=1 dtype=bf16",
            gradients_in_float32()),
      alone("house_kernel_scales_by_the_largest_cotangent",
            "cotangents are divided by their largest element, and gradients multiplied by it",
            "zero_cotangent_gives_zero_gradient", "mesh=1x1 q=1 d=1",
            scales_by_the_largest_cotangent()),
  };
}

}  // namespace attncheck
