#include "properties/checks/applies.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/checks/two_runs.h"

namespace attncheck {
namespace {

Request asking(const Case& c, bool return_lse) {
  Case asked = c;
  asked.return_lse = return_lse;
  return plain_request(asked);
}

Verdict nothing_else_changes(const Case& c, Lab& lab) {
  const Request with = asking(c, true), without = asking(c, false);
  for (const Request& request : {with, without}) {
    const Support supported = lab.supports(request.case_);
    if (!supported) return Verdict::unsupported(supported.reason);
  }
  const Observation &of_with = lab.observe(with), &of_without = lab.observe(without);
  if (auto failed = error_of_second_alone(of_with, of_without, "the run with return_lse=0")) {
    return *failed;
  }
  return same_result(lab, with, of_with, of_without, all_tensors(without.case_),
                     "when the log-sum-exp is not asked for");
}

}  // namespace

Property return_lse_changes_nothing_else() {
  Property property;
  property.name = "return_lse_changes_nothing_else";
  property.explains = "out and the gradients are the same whether lse is asked for or not";
  property.applies = needs_attention;
  property.check = nothing_else_changes;
  return property;
}

}  // namespace attncheck
