// A property: a row of attention is a mean of values, its weights positive and with the sum 1. So
// each component lies between the least and the greatest of that component over all keys, whatever
// the scores are; of a row that may see no key it may be 0 as well.

#include <ATen/TensorOperators.h>

#include "parts.h"
#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"

using namespace attncheck;

namespace {

// (B, Skv, Hkv, Dv) -> (B, Sq, H, Dv): one row of `of` for each row of out.
at::Tensor as_out(const at::Tensor& of, const at::Tensor& out) {
  return of.repeat_interleave(out.size(2) / of.size(2), 2).expand(out.sizes());
}

Verdict judge_case(const Case& c, Lab& lab) {
  const Request request = plain_request(c);
  const Observation& seen = lab.observe(request);
  if (const auto nothing = nothing_to_judge(seen, "out")) return *nothing;
  const Expected& whole = lab.expected(request);
  const at::Tensor v = whole.inputs.v.to(at::kDouble);
  at::Tensor least = v.amin(1, true), greatest = v.amax(1, true);
  if (needs_empty_rows(c)) {
    least = least.clamp_max(0.0);
    greatest = greatest.clamp_min(0.0);
  }
  const at::Tensor& out = whole.forward.out;
  const at::Tensor middle = as_out((least + greatest) / 2, out);
  const at::Tensor reach = as_out((greatest - least) / 2, out) + bound_of(whole, "out");
  return compared_with("the middle of the values by more than these reach",
                       compare_shards(request, seen, "out", middle, reach));
}

}  // namespace

Property output_lies_between_the_values() {
  Property property;
  property.name = "output_lies_between_the_values";
  property.explains =
      "out lies between the least and the greatest of the values, component by component";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = judge_case;
  return property;
}
