#include "properties/checks/applies.h"
#include "properties/checks/communication.h"
#include "properties/checks/findings.h"
#include "properties/checks/judging.h"
#include "properties/checks/two_runs.h"

namespace attncheck {
namespace {

std::vector<std::string> other_schedules(const Case& c) {
  const std::string seed = std::to_string(c.seed);
  return {"random:" + seed, "pct:3:" + seed};
}

Verdict same_under(const Case& c, const std::string& schedule, Lab& lab) {
  Case other = c;
  other.schedule = schedule;
  if (const Support supported = lab.supports(other); !supported) {
    return Verdict::unsupported(supported.reason);
  }
  const Request plain = base_request(c), ordered = base_request(other);
  const Observation &of_plain = lab.observe(plain), &of_ordered = lab.observe(ordered);
  if (auto failed = error_of_second_alone(of_plain, of_ordered, "schedule=" + schedule)) {
    return *failed;
  }
  return same_result(lab, plain, of_plain, of_ordered, all_tensors(c),
                     "between the case's own order and schedule=" + schedule);
}

Verdict same_under_all(const Case& c, Lab& lab) {
  std::optional<Verdict> verdict;
  for (const std::string& schedule : other_schedules(c)) {
    if (schedule == c.schedule) continue;
    Verdict next = same_under(c, schedule, lab);
    verdict = verdict ? worse(*verdict, std::move(next)) : std::move(next);
    if (verdict->failed()) break;
  }
  return *verdict;
}

}  // namespace

Property schedule_does_not_matter() {
  Property property;
  property.name = "schedule_does_not_matter";
  property.explains = "the order in which the ranks run does not change a bit of the results";
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_world(c)}); };
  property.check = same_under_all;
  return property;
}

}  // namespace attncheck
