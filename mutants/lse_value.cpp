#include "mutants/lse_value.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>

#include "mutants/entry.h"
#include "mutants/kernels.h"
#include "mutants/ring_tour.h"

namespace attncheck {
namespace {

// max + log1p(exp(min - max)): right but for two empty partials, where it is -inf - -inf.
Partial merge_from_the_larger(const Partial& a, const Partial& b) {
  const at::Tensor top = at::maximum(a.lse, b.lse);
  const at::Tensor lse = top + at::log1p(at::exp(at::minimum(a.lse, b.lse) - top));
  const auto weighted = [&](const Partial& part) {
    return at::exp(part.lse - lse).unsqueeze(-1).to(part.out.scalar_type()) * part.out;
  };
  return {weighted(a) + weighted(b), lse};
}

void merges_from_the_larger(RingTour& tour) {
  tour.merge = merge_from_the_larger;
}

}  // namespace

std::vector<Mutant> lse_value_mutants() {
  const Implementation ring = implementation_of("ring_on_another_base", ring_parent());
  return {
      make_mutant({.name = "B5",
                   .source = "vLLM #47079, sglang #40903, flashinfer #2113, pytorch #181645",
                   .fault = "a base-2 lse is taken for a natural one; the kernel's output is right",
                   .property = "lse_is_natural_log",
                   .smallest = "mesh=2x1 q=2 d=1"},
                  on_backend(ring, base_two_kernel())),
      make_mutant({.name = "B6",
                   .source = "sglang #33926",
                   .fault = "the lse is converted from base 2 twice; the kernel's output is right",
                   .property = "lse_is_natural_log",
                   .smallest = "mesh=2x1 q=2 d=1"},
                  on_backend(ring, natural_kernel_called_base_two())),
      make_mutant(
          {.name = "B7",
           .source = "flashinfer #4051, vLLM #28181",
           .fault = "two empty partials merge to NaN (-inf - -inf)",
           .property = "empty_rows_are_zero_and_minus_infinity",
           .smallest = "mesh=2x1 q=4 kv=2 d=1 causal=1 align=br"},
          implementation_of("merges_from_the_larger", touring_parent(merges_from_the_larger))),
  };
}

}  // namespace attncheck
