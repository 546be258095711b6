#include "properties/checks/applies.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/checks/two_runs.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

// Two values and their mixture 2 a + b, run with a cotangent of out alone.
struct Three {
  Request a, b, mixed;
};

Request with_value(const Case& c, ValueEdit edit) {
  Request request = plain_request(c);
  request.value = edit;
  return request;
}

// lse, and dv, do not depend on v.
Verdict same_as_that_of(const Three& runs, const std::string& tensor, Lab& lab, bool bitwise) {
  const Observation &of_a = lab.observe(runs.a), &of_mixed = lab.observe(runs.mixed);
  if (bitwise) return compare_bits(of_a, of_mixed, tensor);
  const at::Tensor whole = assemble(runs.a, of_a, tensor);
  if (!whole.defined()) return Verdict::not_run(tensor + " has not the right shape");
  const at::Tensor bound =
      bound_of(lab.expected(runs.a), tensor).add(bound_of(lab.expected(runs.mixed), tensor));
  return compare_shards(runs.mixed, of_mixed, tensor, whole, bound);
}

Verdict mixes(const Three& runs, const std::string& tensor, Lab& lab) {
  const at::Tensor a = assemble(runs.a, lab.observe(runs.a), tensor);
  const at::Tensor b = assemble(runs.b, lab.observe(runs.b), tensor);
  if (!a.defined() || !b.defined()) return Verdict::not_run(tensor + " has not the right shape");
  const auto bound = [&](const Request& run) { return bound_of(lab.expected(run), tensor); };
  return compare_shards(runs.mixed, lab.observe(runs.mixed), tensor, a.mul(2).add(b),
                        bound(runs.a).mul(2).add(bound(runs.b)).add(bound(runs.mixed)));
}

Verdict value_is_linear(const Case& c, Lab& lab) {
  const Three runs{with_value(c, ValueEdit::grid_a), with_value(c, ValueEdit::grid_b),
                   with_value(c, ValueEdit::grid_mixed)};
  const Observation &of_a = lab.observe(runs.a), &of_b = lab.observe(runs.b);
  const bool deterministic = !not_deterministic(c, lab);
  return judge_each(lab.observe(runs.mixed), all_tensors(c), [&](const std::string& tensor) {
    for (const Observation* observation : {&of_a, &of_b}) {
      if (const auto nothing = nothing_to_judge(*observation, tensor)) return *nothing;
    }
    if (tensor == "lse" || tensor == "dv") {
      return compared_with("that of other values",
                           same_as_that_of(runs, tensor, lab, deterministic && tensor == "lse"));
    }
    return compared_with("2 f(a) + f(b) when v is 2 a + b", mixes(runs, tensor, lab));
  });
}

}  // namespace

Property output_is_linear_in_value() {
  Property property;
  property.name = "output_is_linear_in_value";
  property.explains = "out, dq and dk of 2 a + b are twice those of a plus those of b; lse stays";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = value_is_linear;
  return property;
}

}  // namespace attncheck
