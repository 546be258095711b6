// A mutant: shown_keys, but partial results are added up as they come, where each must first be
// scaled by its share exp(lse - whole lse) of the row. On one rank nothing is merged, and nothing
// is wrong; on two ranks half of the rows leave what the values span.

#include <ATen/TensorOperators.h>
#include <ATen/ops/logaddexp.h>

#include "parts.h"
#include "problem/case_text.h"

using namespace attncheck;

namespace {

Partial added(const Partial& a, const Partial& b) {
  return {a.out + b.out, at::logaddexp(a.lse, b.lse)};
}

}  // namespace

Mutant adds_without_weights() {
  Mutant mutant;
  mutant.name = "adds_without_weights";
  mutant.source = "examples/plugin";
  mutant.fault = "partial results are added up without their weights";
  mutant.property = "output_lies_between_the_values";
  mutant.smallest = parse_case("impl=mutant:adds_without_weights mesh=2x1 q=2 d=1 seed=1");
  mutant.subject = shown_keys("adds_without_weights", added);
  return mutant;
}
