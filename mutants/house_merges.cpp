#include "mutants/house_merges.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/where.h>

#include "impl/merges/merge.h"
#include "mutants/entry.h"

namespace attncheck {
namespace {

constexpr const char* kAssociative = "merge_is_associative";

at::Tensor beside(const at::Tensor& row, const Partial& part) {
  return row.unsqueeze(-1).to(part.out.scalar_type());
}

// The gap of two empty partials is -inf - -inf.
Partial merge_by_sigmoid(const Partial& a, const Partial& b) {
  const at::Tensor share = beside(at::sigmoid(b.lse - a.lse), a);
  return {a.out - share * (a.out - b.out), a.lse - at::log_sigmoid(a.lse - b.lse)};
}

// exp overflows past 709 in float64 and 88 in float32, and gives 0 below -745 and -104.
Partial merge_by_exponentials(const Partial& a, const Partial& b) {
  const at::Tensor wa = at::exp(a.lse), wb = at::exp(b.lse), sum = wa + wb;
  const at::Tensor outs = beside(wa, a) * a.out + beside(wb, b) * b.out;
  return {outs / beside(sum, a), at::log(sum)};
}

// As if both had the same number of keys and the same scores.
Partial mean_of_outs(const Partial& a, const Partial& b) {
  return {(a.out + b.out) / 2, merge(a, b).lse};
}

constexpr double kNoticed = 20;

// exp(-20) is 2e-9: much in float64.
Partial drops_what_is_small(const Partial& a, const Partial& b) {
  const Partial both = merge(a, b);
  const at::Tensor first = a.lse > b.lse + kNoticed, second = b.lse > a.lse + kNoticed;
  const at::Tensor out = at::where(first.unsqueeze(-1), a.out, both.out);
  const at::Tensor lse = at::where(first, a.lse, both.lse);
  return {at::where(second.unsqueeze(-1), b.out, out), at::where(second, b.lse, lse)};
}

Merge named(const char* name, Partial (*apply)(const Partial&, const Partial&)) {
  return {name, [](const Case&) { return Support::yes(); }, apply};
}

}  // namespace

std::vector<Mutant> house_merge_mutants() {
  return {
      make_mutant({.name = "house_merge_by_sigmoid",
                   .source = "house",
                   .fault = "the sigmoid of the gap is NaN where both partials are empty",
                   .property = kAssociative,
                   .smallest = "mesh=1x1 q=1 d=1 seed=1"},
                  named("by_sigmoid", merge_by_sigmoid)),
      make_mutant({.name = "house_merge_by_exponentials",
                   .source = "house",
                   .fault = "exp(lse) overflows or vanishes: there is no common top",
                   .property = kAssociative,
                   .smallest = "mesh=1x1 q=1 d=1 seed=3"},
                  named("by_exponentials", merge_by_exponentials)),
      make_mutant({.name = "house_merge_takes_the_mean",
                   .source = "house",
                   .fault = "the mean of the two outs, whatever their lse",
                   .property = kAssociative,
                   .smallest = "mesh=1x1 q=1 d=1 seed=1"},
                  named("mean_of_outs", mean_of_outs)),
      make_mutant({.name = "house_merge_drops_what_is_small",
                   .source = "house",
                   .fault = "a partial whose lse lies 20 or more below the other's is left out",
                   .property = kAssociative,
                   .smallest = "mesh=1x1 q=1 kv=2 d=1 seed=6"},
                  named("drops_what_is_small", drops_what_is_small)),
  };
}

}  // namespace attncheck
