#include "mutants/merge_precision.h"

#include <limits>
#include <memory>

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/where.h>

#include "mutants/entry.h"
#include "mutants/ring_tour.h"

namespace attncheck {
namespace {

at::Tensor is_empty(const Partial& part) {
  return part.lse == -std::numeric_limits<double>::infinity();
}

at::Tensor weighted(const Partial& part, const at::Tensor& lse) {
  return at::exp(part.lse - lse).unsqueeze(-1).to(part.out.scalar_type()) * part.out;
}

// b + log(1 + exp(a - b)): exp overflows at a gap of 88 in float32, of 709 in float64.
Partial merge_by_exp_of_the_gap(const Partial& a, const Partial& b) {
  const at::Tensor lse = b.lse + at::log(at::exp(a.lse - b.lse) + 1);
  const at::Tensor out = weighted(a, lse) + weighted(b, lse);
  const at::Tensor no_a = is_empty(a), no_b = is_empty(b);
  const auto chosen = [&](const at::Tensor& merged, const at::Tensor& of_a,
                          const at::Tensor& of_b) {
    const bool rows = merged.dim() == 3;
    const at::Tensor only_b = rows ? no_a : no_a.unsqueeze(-1);
    const at::Tensor only_a = rows ? no_b : no_b.unsqueeze(-1);
    return at::where(only_b, of_b, at::where(only_a, of_a, merged));
  };
  return {chosen(out, a.out, b.out), chosen(lse, a.lse, b.lse)};
}

void merges_by_exp_of_the_gap(RingTour& tour) {
  tour.merge = merge_by_exp_of_the_gap;
}

at::Tensor rounded(const at::Tensor& x, at::ScalarType narrow) {
  return x.to(narrow).to(x.scalar_type());
}

// A merge that is told the dtype of q, which a tour's blocks know.
using NarrowMerge = Partial (*)(const Partial& a, const Partial& b, at::ScalarType narrow);

Parent merging_parent(NarrowMerge merge) {
  return touring_parent([merge](RingTour& tour) {
    const auto narrow = std::make_shared<at::ScalarType>(at::kDouble);
    tour.attend = [attend = tour.attend, narrow](const BackendInputs& block) {
      *narrow = block.q.scalar_type();
      return attend(block);
    };
    tour.merge = [merge, narrow](const Partial& a, const Partial& b) {
      return merge(a, b, *narrow);
    };
  });
}

Partial rounded_after(const Partial& a, const Partial& b, at::ScalarType narrow) {
  const Partial merged = merge(a, b);
  return {rounded(merged.out, narrow), merged.lse};
}

Partial rounded_throughout(const Partial& a, const Partial& b, at::ScalarType narrow) {
  const auto all = [&](const Partial& part) {
    return Partial{rounded(part.out, narrow), rounded(part.lse, narrow)};
  };
  return all(merge(all(a), all(b)));
}

}  // namespace

std::vector<Mutant> merge_precision_mutants() {
  return {
      make_mutant({.name = "A15",
                   .source = "ring-flash-attention #22, #42",
                   .fault = "the sum over blocks is rounded to the inputs' dtype in every step",
                   .property = "error_does_not_grow_with_ring_degree",
                   .smallest = "mesh=8x1 q=64 h=4 d=16 dtype=bf16"},
                  implementation_of("rounds_the_sum", merging_parent(rounded_after))),
      make_mutant({.name = "B4",
                   .source = "EasyContext #14, ring-flash-attention #30, TransformerEngine #716",
                   .fault = "partials merge by log(1 + exp(a - b)), which overflows",
                   .property = "output_matches_reference",
                   .smallest = "mesh=2x1 q=4 h=2 d=2 dtype=f32 data=large"},
                  implementation_of("merges_by_exp", touring_parent(merges_by_exp_of_the_gap))),
      make_mutant({.name = "B13",
                   .source = "mindone",
                   .fault = "out and lse merge in the inputs' dtype",
                   .property = "error_does_not_grow_with_ring_degree",
                   .smallest = "mesh=8x1 q=64 h=4 d=16 dtype=bf16"},
                  implementation_of("merges_narrowly", merging_parent(rounded_throughout))),
  };
}

}  // namespace attncheck
