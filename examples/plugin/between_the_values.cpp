// A property: a row of attention is a mean of values, its weights positive and with the sum 1. So
// each component lies between the least and the greatest of that component over all keys, whatever
// the scores are; of a row that may see no key it may be 0 as well.

#include <ATen/TensorOperators.h>
#include <ATen/ops/clamp.h>

#include "parts.h"
#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"

using namespace attncheck;

namespace {

// (B, 1, Hkv, Dv) -> (B, 1, H, Dv): the values of a head are those of its KV head.
at::Tensor by_head(const at::Tensor& of, const at::Tensor& out) {
  return of.repeat_interleave(out.size(2) / of.size(2), 2);
}

Verdict judge_case(const Case& c, Lab& lab) {
  const Request request = plain_request(c);
  const Observation& seen = lab.observe(request);
  if (const auto nothing = nothing_to_judge(seen, "out")) return *nothing;
  const at::Tensor out = assemble(request, seen, "out");  // of all ranks: (B, Sq, H, Dv)
  if (!out.defined()) return Verdict::not_run("out has not the right shape");
  const Expected& whole = lab.expected(request);
  const at::Tensor v = whole.inputs.v.to(at::kDouble);
  at::Tensor least = v.amin(1, true), greatest = v.amax(1, true);
  if (needs_empty_rows(c)) {
    least = least.clamp_max(0.0);
    greatest = greatest.clamp_min(0.0);
  }
  const at::Tensor nearest =
      at::clamp(out.nan_to_num(0.0), by_head(least, out), by_head(greatest, out));
  return compared_with("the nearest that lies between the values",
                       compare_shards(request, seen, "out", nearest, bound_of(whole, "out")));
}

}  // namespace

Property output_lies_between_the_values() {
  Property property;
  property.name = "output_lies_between_the_values";
  property.explains = "each component of out lies between the least and the greatest of the values";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = judge_case;
  return property;
}
