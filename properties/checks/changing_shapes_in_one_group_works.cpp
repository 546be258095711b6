#include "problem/case_text.h"
#include "properties/checks/applies.h"
#include "properties/checks/companions.h"
#include "properties/checks/judging.h"
#include "properties/checks/state.h"
#include "properties/checks/two_runs.h"

namespace attncheck {
namespace {

Request fresh_request(const Case& c) {
  Request request = base_request(c);
  request.fresh_ranks = true;
  return request;
}

Verdict works_after(const Case& c, const std::optional<Case>& before, Lab& lab) {
  if (!before) return Verdict::unsupported("the subject supports no such shape");
  const Request alone = fresh_request(c);
  Request later = alone;
  later.company = Company::before;
  later.companion = before;
  const Observation& of_alone = lab.observe(alone);
  if (of_alone.ranks.front().facts.count("kept_ranks") > 0) {
    return Verdict::unsupported("the transport keeps its ranks: none ran nothing before");
  }
  const Observation& of_later = lab.observe(later);
  if (const auto ended = ended_early(of_alone)) return *ended;
  const std::string text = to_text(*before);
  if (auto failed = error_of_second_alone(of_alone, of_later, "a run after " + text)) {
    return *failed;
  }
  return same_result(lab, alone, of_alone, of_later, all_tensors(c),
                     "between a run alone and one after " + text);
}

Verdict shapes_may_change(const Case& c, Lab& lab) {
  return worse(works_after(c, larger_shape(c, lab), lab),
               works_after(c, smaller_shape(c, lab), lab));
}

}  // namespace

Property changing_shapes_in_one_group_works() {
  Property property;
  property.name = "changing_shapes_in_one_group_works";
  property.explains = "a call gives the same whatever shapes went through its groups before";
  property.applies = needs_attention;
  property.check = shapes_may_change;
  return property;
}

}  // namespace attncheck
