#include "mutants/lse_axis.h"

#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logaddexp.h>
#include <torch/version.h>

#include "impl/backends/attend.h"
#include "impl/collectives/kept_group.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/exchanged_pass.h"
#include "mutants/entry.h"
#include "mutants/equal_shards.h"
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

bool returns_four_axes(const BackendContract& contract) {
  return contract.lse_shape == LseShape::BHS1;
}

// The block's out, and the kernel's own log-sum-exp with its heads behind its tokens.
Partial raw_partial(const Backend& kernel, const BackendInputs& block) {
  return {attend(kernel, block).out, kernel.forward(block).lse.transpose(1, 2)};
}

void always_adds_an_axis(RingTour& tour) {
  tour.attend = [kernel = tour.call.backend](const BackendInputs& block) {
    Partial partial = raw_partial(*kernel, block);
    return TourStop{{partial.out, partial.lse.unsqueeze(-1)}, {}};
  };
  tour.merge = merge_by_broadcast;
}

// What a test of LibTorch's version says from 2.9 on, of whatever kernel is in use.
constexpr bool kVersionSaysFourAxes = TORCH_VERSION_MAJOR > 2 ||
                                      (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 9);

void adds_an_axis_by_version(RingTour& tour) {
  tour.attend = [kernel = tour.call.backend](const BackendInputs& block) {
    Partial partial = raw_partial(*kernel, block);
    if (!kVersionSaysFourAxes) partial.lse = partial.lse.unsqueeze(-1);
    return TourStop{partial, {}};
  };
  tour.merge = merge_by_broadcast;
}

// All in the kernel's axes, (B, H, S, D) and its own log-sum-exp; the merge adds the axis.
void adds_an_axis_to_merge(RingTour& tour) {
  tour.attend = [kernel = tour.call.backend](const BackendInputs& block) {
    const at::Tensor lse = kernel->forward(block).lse;
    return TourStop{{attend(*kernel, block).out.transpose(1, 2), lse.unsqueeze(-1)}, {}};
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

// Both in the kernel's axes.
PassForward from_the_kernels_axes(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    const std::vector<int64_t> rows{q.size(0), q.size(2), q.size(1)};
    const at::Tensor out = result.out.reshape({rows[0], rows[1], rows[2], v.size(3)});
    result.out = result.saved.tensors[3] = out.transpose(1, 2);
    result.saved.tensors[4] = result.lse.reshape(rows).transpose(1, 2);
    result.lse = result.lse.squeeze(-1).transpose(1, 2);
    return result;
  };
}

// What has four axes is taken to be in those of the exchange, (B, S, H, 1).
at::Tensor as_exchanged(const at::Tensor& lse_of_kernel) {
  return lse_of_kernel.dim() == 4 ? lse_of_kernel : lse_of_kernel.transpose(1, 2).unsqueeze(-1);
}

// The exchange of (B, S, H, D) tensors is handed the kernel's (B, H, S, 1), reads it in its own
// axes, and returns the right shape of the wrong elements.
PassForward lse_in_the_kernels_axes(const PassForward& right, bool four_axes) {
  return [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    const at::Tensor of_kernel = result.lse.transpose(1, 2);
    const at::Tensor exchanged = as_exchanged(four_axes ? of_kernel.unsqueeze(-1) : of_kernel);
    result.lse = exchanged.reshape({q.size(0), q.size(1), q.size(2), 1}).squeeze(-1);
    return result;
  };
}

AttentionPass exchanges_the_kernels_lse(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass ring = ring_pass(ring_call(options, groups));
  const bool four_axes = returns_four_axes(options.backend->contract);
  if (groups.mesh.ulysses > 1) ring.forward = lse_in_the_kernels_axes(ring.forward, four_axes);
  return exchanged_pass(ring, keep(groups.ulysses), options.return_lse);
}

// The subject on kernels that return three axes or four with the heads in front, which others are
// not taken for.
Implementation on_kernels_with_heads_in_front(Implementation implementation) {
  implementation.supports = [right = implementation.supports](const Case& c, const Backend& on) {
    const LseShape shape = on.contract.lse_shape;
    if (shape == LseShape::BHS || shape == LseShape::BHS1) return right(c, on);
    return Support::no("needs a kernel whose lse is (B, H, S) or (B, H, S, 1)");
  };
  return implementation;
}

Mutant with_forms(Mutant mutant, std::function<bool(const BackendContract&)> wrong_on) {
  mutant.backends = {"cudnn_emulated:2.8", "cudnn_emulated:2.9"};
  mutant.wrong_here = [=](const Platform& platform) { return wrong_on(platform.contract); };
  return mutant;
}

bool version_errs(const BackendContract& contract) {
  return returns_four_axes(contract) != kVersionSaysFourAxes;
}

Mutant subject_of_axes(const MutantFacts& facts, const Parent& parent, const std::string& name,
                       std::function<bool(const BackendContract&)> wrong_on = returns_four_axes) {
  return with_forms(
      make_mutant(facts, on_kernels_with_heads_in_front(implementation_of(name, parent))),
      std::move(wrong_on));
}

constexpr const char* kWhereVersionErrs =
    kVersionSaysFourAxes ? "backend=cudnn_emulated:2.8 dtype=bf16 mesh=2x1 q=16 h=8 d=8"
                         : "backend=cudnn_emulated:2.9 dtype=bf16 mesh=2x1 q=16 h=8 d=8";
// An axis too few broadcasts into wrong values, one too many grows and throws.
constexpr const char* kHowVersionErrs =
    kVersionSaysFourAxes ? "output_matches_reference" : "supported_case_runs_to_the_end";

}  // namespace

std::vector<Mutant> lse_axis_mutants() {
  const Parent twice = with_forward(touring_parent(always_adds_an_axis), without_last_axis);
  const Parent never = with_forward(touring_parent(adds_an_axis_by_version), with_three_axes);
  const Parent merged = with_forward(touring_parent(adds_an_axis_to_merge), from_the_kernels_axes);
  const Parent exchanged{of_equal_shards(unified_parent().limits), exchanges_the_kernels_lse};
  return {
      subject_of_axes(
          {.name = "B1",
           .source = "diffusers PR 12693",
           .fault = "lse is given a trailing axis although the kernel already returns one",
           .property = "lse_has_declared_shape",
           .smallest = "backend=cudnn_emulated:2.9 dtype=bf16 mesh=2x1 q=2 kv=4 d=8"},
          twice, "always_adds_an_axis"),
      subject_of_axes(
          {.name = "B2",
           .source = "diffusers PR 12693 at its merge, PR 13182",
           .fault = "lse's trailing axis is chosen by LibTorch's version, not by the tensor",
           .property = kHowVersionErrs,
           .smallest = kWhereVersionErrs},
          never, "adds_an_axis_by_version", version_errs),
      subject_of_axes({.name = "B3",
                       .source = "diffusers PR 12693 (unified)",
                       .fault = "a four-axis lse goes into an exchange that expects four axes of "
                                "its own",
                       .property = "lse_matches_reference",
                       .smallest = "backend=cudnn_emulated:2.9 dtype=bf16 mesh=2x2 q=4 h=4 d=8"},
                      exchanged, "exchanges_the_kernels_lse"),
      subject_of_axes(
          {.name = "B15",
           .source = "torch 2.9 with cuDNN (#162743)",
           .fault = "the merge unsqueezes an lse that the kernel has already unsqueezed",
           .property = "lse_has_declared_shape",
           .smallest = "backend=cudnn_emulated:2.9 dtype=bf16 mesh=2x1 q=2 kv=4 d=8"},
          merged, "adds_an_axis_to_merge"),
  };
}

}  // namespace attncheck
