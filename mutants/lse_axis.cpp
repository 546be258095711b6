#include "mutants/lse_axis.h"

#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logaddexp.h>

#include "impl/collectives/kept_group.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/exchanged_pass.h"
#include "mutants/entry.h"
#include "mutants/equal_shards.h"
#include "mutants/kernels.h"
#include "mutants/ring_tour.h"

namespace attncheck {
namespace {

// exp(lse - total), 0 for a row without keys.
at::Tensor weight(const at::Tensor& lse, const at::Tensor& total) {
  return at::exp(lse - total).masked_fill(lse == -std::numeric_limits<double>::infinity(), 0.0);
}

// Right where lse is (B, S, H, 1). Anything else broadcasts as it may, or throws.
Partial merge_by_broadcast(const Partial& a, const Partial& b) {
  const at::Tensor total = at::logaddexp(a.lse, b.lse);
  return {weight(a.lse, total) * a.out + weight(b.lse, total) * b.out, total};
}

// The raw log-sum-exp with its heads behind its tokens.
Partial raw_partial(const Backend& kernel, const BackendInputs& block) {
  const BackendForward raw = kernel.forward(block);
  return {raw.out, raw.lse.transpose(1, 2)};
}

void always_adds_an_axis(RingTour& tour) {
  tour.attend = [kernel = tour.call.backend](const BackendInputs& block) {
    Partial partial = raw_partial(*kernel, block);
    return TourStop{{partial.out, partial.lse.unsqueeze(-1)}, {}};
  };
  tour.merge = merge_by_broadcast;
}

// What a test of LibTorch's version says from 2.9 on, of whatever kernel is in use.
constexpr bool kVersionSaysFourAxes = true;

void adds_an_axis_by_version(RingTour& tour) {
  tour.attend = [kernel = tour.call.backend](const BackendInputs& block) {
    Partial partial = raw_partial(*kernel, block);
    if (!kVersionSaysFourAxes) partial.lse = partial.lse.unsqueeze(-1);
    return TourStop{partial, {}};
  };
  tour.merge = merge_by_broadcast;
}

// An output that has kept its size gets its shape back, and backward sees it and an lse of three
// axes. What has grown throws.
AttentionForward in_shape(const AttentionForward& result, const at::Tensor& q,
                          const at::Tensor& v) {
  const at::Tensor out = result.out.reshape({q.size(0), q.size(1), q.size(2), v.size(3)});
  const at::Tensor lse = result.lse.reshape({q.size(0), q.size(1), q.size(2)});
  AttentionForward shaped = result;
  shaped.out = shaped.saved.tensors[3] = out;
  shaped.saved.tensors[4] = lse;
  return shaped;
}

PassForward without_last_axis(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = in_shape(right(q, k, v), q, v);
    result.lse = result.lse.squeeze(-1);
    return result;
  };
}

PassForward with_three_axes(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = in_shape(right(q, k, v), q, v);
    result.lse = result.saved.tensors[4];
    return result;
  };
}

// The exchange of (B, S, H, D) tensors is handed the kernel's (B, H, S, 1), reads it in its own
// axes, and returns the right shape of the wrong elements.
PassForward lse_in_the_kernels_axes(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    const at::Tensor of_kernel = result.lse.transpose(1, 2).unsqueeze(-1);
    result.lse = of_kernel.reshape({q.size(0), q.size(1), q.size(2), 1}).squeeze(-1);
    return result;
  };
}

AttentionPass exchanges_the_kernels_lse(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass ring = ring_pass(ring_call(options, groups));
  if (groups.mesh.ulysses > 1) ring.forward = lse_in_the_kernels_axes(ring.forward);
  return exchanged_pass(ring, keep(groups.ulysses), options.return_lse);
}

}  // namespace

std::vector<Mutant> lse_axis_mutants() {
  const Parent twice = with_forward(touring_parent(always_adds_an_axis), without_last_axis);
  const Parent never = with_forward(touring_parent(adds_an_axis_by_version), with_three_axes);
  const Parent exchanged{of_equal_shards(unified_parent().limits), exchanges_the_kernels_lse};
  return {
      make_mutant({.name = "B1",
                   .source = "diffusers PR 12693",
                   .fault = "lse is given a trailing axis although the kernel already returns one",
                   .property = "lse_has_declared_shape",
                   .smallest = "mesh=2x1 q=2 d=1"},
                  on_backend(implementation_of("always_adds_an_axis", twice), four_axis_kernel())),
      make_mutant(
          {.name = "B2",
           .source = "diffusers PR 12693 at its merge, PR 13182",
           .fault = "lse's trailing axis is chosen by LibTorch's version, not by the tensor",
           .property = "output_matches_reference",
           .smallest = "mesh=2x1 q=8 h=4 d=4"},
          on_backend(implementation_of("adds_an_axis_by_version", never), three_axis_kernel())),
      make_mutant(
          {.name = "B3",
           .source = "diffusers PR 12693 (unified)",
           .fault = "a four-axis lse goes into an exchange that expects four axes of its own",
           .property = "lse_matches_reference",
           .smallest = "mesh=2x2 q=4 h=4 d=1"},
          on_backend(implementation_of("exchanges_the_kernels_lse", exchanged),
                     four_axis_kernel())),
  };
}

}  // namespace attncheck
