#include "harness/drive/judge.h"

namespace attncheck {

PropertyList speaking_of(SubjectKind kind, const PropertyList& properties) {
  PropertyList speaking;
  for (const Property* property : properties) {
    if (property->subjects.count(kind) > 0) speaking.push_back(property);
  }
  return speaking;
}

Verdict judge(const Property& property, const Case& c, Lab& lab) {
  const Support applies = property.applies(c);
  if (!applies) return Verdict::unsupported(applies.reason);
  const Support supported = lab.supports(c);
  if (!supported && !property.about_refusals) return Verdict::unsupported(supported.reason);
  if (supported && property.about_refusals) return Verdict::unsupported("the case is supported");
  return property.check(c, lab);
}

std::vector<Judgement> judge_all(const PropertyList& properties, const Case& c, Lab& lab) {
  std::vector<Judgement> judgements;
  for (const Property* property : properties) {
    judgements.push_back({property, judge(*property, c, lab)});
  }
  return judgements;
}

const Observation& WatchedLab::observe(const Request& request) {
  if (fatal_ != nullptr) return *fatal_;
  const Observation& observation = lab_.observe(request);
  saw_unrepeatable_ = saw_unrepeatable_ || observation.unrepeatable;
  if (observation.unrepeatable || !cost_ranks(observation)) return observation;
  lost_a_rank_ = true;
  if (request == base_request(case_)) fatal_ = &observation;
  return observation;
}

}  // namespace attncheck
