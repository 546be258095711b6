#include "properties/checks/applies.h"
#include "properties/checks/communication.h"
#include "properties/checks/findings.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

Verdict works_are_waited_for(const Case& c, Lab& lab) {
  using Kind = Finding::Kind;
  const Observation& observation = lab.observe(watched_request(c));
  if (const auto none = no_trace(observation)) return *none;
  const auto found = finding_of(
      observation, {Kind::unwaited, Kind::read_early, Kind::written_early, Kind::aliased},
      "an exchange is left alone until its wait() has returned");
  if (found) return *found;
  return ended_early(observation).value_or(Verdict::pass());
}

}  // namespace

Property every_work_is_waited_for() {
  Property property;
  property.name = "every_work_is_waited_for";
  property.explains =
      "no tensor of an exchange is read, written or dropped before the exchange was waited for";
  property.subjects = talking_subjects();
  property.applies = needs_world;
  property.check = works_are_waited_for;
  return property;
}

}  // namespace attncheck
