#include "harness/drive/judge.h"

#include <algorithm>

#include "properties/checks/judging.h"

namespace attncheck {
namespace {

std::optional<int64_t> received_by_all(const Observation& observation) {
  int64_t bytes = 0;
  for (const RankResult& rank : observation.ranks) {
    if (!rank.trace) return std::nullopt;
    bytes += rank.trace->received_bytes();
  }
  return bytes;
}

std::optional<int64_t> most_held(const Observation& observation) {
  std::optional<int64_t> most;
  for (const RankResult& rank : observation.ranks) most = std::max(most, rank.peak_bytes);
  return most;
}

}  // namespace

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
  try {
    return property.check(c, lab);
  } catch (const RefusedRun& refused) {
    return Verdict::unsupported(refused.what());
  }
}

Judgement judge_watched(const Property& property, const Case& c, WatchedLab& lab) {
  Verdict verdict = judge(property, c, lab);
  lab.make_room();
  std::optional<Verdict> incident = lab.take_incident();
  const bool unrepeatable = incident.has_value();
  if (unrepeatable && !verdict.failed()) verdict = std::move(*incident);
  return {&property, std::move(verdict), unrepeatable};
}

std::vector<Judgement> judge_all(const PropertyList& properties, const Case& c, WatchedLab& lab) {
  std::vector<Judgement> judgements;
  for (const Property* property : properties) {
    judgements.push_back(judge_watched(*property, c, lab));
  }
  return judgements;
}

const Observation& WatchedLab::observe(const Request& request) {
  if (fatal_ != nullptr) return *fatal_;
  const Observation& observation = lab_.observe(request);
  if (request == base_request(case_)) figures_.received_bytes = received_by_all(observation);
  if (request.case_.impl == case_.impl) {
    figures_.peak_bytes = std::max(figures_.peak_bytes, most_held(observation));
  }
  if (observation.unrepeatable) incident_ = ended_early(observation);
  if (observation.unrepeatable || !cost_ranks(observation)) return observation;
  lost_a_rank_ = true;
  if (request == base_request(case_)) fatal_ = &observation;
  return observation;
}

}  // namespace attncheck
