#include "properties/checks/applies.h"
#include "properties/checks/communication.h"
#include "properties/checks/findings.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

Verdict calls_match(const Case& c, Lab& lab) {
  using Kind = Finding::Kind;
  const Observation& observation = lab.observe(base_request(c));
  if (const auto none = no_trace(observation)) return *none;
  const auto found = finding_of(observation, {Kind::mismatch, Kind::unmatched},
                                "every rank of the group posts what fits the others");
  if (found) return *found;
  return ended_early(observation).value_or(Verdict::pass());
}

}  // namespace

Property collectives_match_on_all_ranks() {
  Property property;
  property.name = "collectives_match_on_all_ranks";
  property.explains = "the ranks of a group post the same exchanges in the same order";
  property.subjects = talking_subjects();
  property.applies = needs_world;
  property.check = calls_match;
  return property;
}

}  // namespace attncheck
