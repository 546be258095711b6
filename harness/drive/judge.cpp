#include "harness/drive/judge.h"

#include <algorithm>

#include "harness/doing.h"
#include "harness/registry.h"
#include "harness/run_lab.h"
#include "harness/what_was_thrown.h"
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

namespace {

Verdict asked(const Property& property, const Case& c, Lab& lab) {
  const Doing doing("the property", property.name, &c);
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

std::string name_of(const Property& property) {
  const std::string from = property.origin.empty() ? "" : " (plug-in '" + property.origin + "')";
  return "the property '" + property.name + "'" + from;
}

struct Answer {
  Verdict verdict;
  bool threw = false;
};

Answer answer_of(const Property& property, const Case& c, Lab& lab) {
  try {
    return {asked(property, c, lab)};
  } catch (const NoRanks&) {
    throw;
  } catch (const SupportsFailed& error) {
    return {Verdict::not_run(error.said()), true};
  } catch (...) {
    return {Verdict::not_run(name_of(property) + " threw: " + in_one_line(what_was_thrown())),
            true};
  }
}

}  // namespace

Verdict judge(const Property& property, const Case& c, Lab& lab) {
  return answer_of(property, c, lab).verdict;
}

Judgement judge_watched(const Property& property, const Case& c, WatchedLab& lab) {
  auto [verdict, threw] = answer_of(property, c, lab);
  lab.make_room();
  std::optional<Verdict> incident = lab.take_incident();
  const bool unrepeatable = incident.has_value();
  if (unrepeatable && !verdict.failed()) verdict = std::move(*incident);
  if (std::optional<Verdict> disagreement = lab.take_disagreement()) {
    return {&property, std::move(*disagreement), unrepeatable, true};
  }
  return {&property, std::move(verdict), unrepeatable, threw};
}

std::vector<Judgement> judge_all(const PropertyList& properties, const Case& c, WatchedLab& lab) {
  std::vector<Judgement> judgements;
  for (const Property* property : properties) {
    judgements.push_back(judge_watched(*property, c, lab));
  }
  return judgements;
}

namespace {

// "yes and then no (the reason)"
std::string changed_answer(const Case& c, const Support& second, const std::string& where) {
  const std::string answers =
      second ? "no and then yes" : "yes and then no (" + second.reason + ")";
  return "supports() of '" + c.impl + "' on '" + c.backend + "' answers one case with " + answers +
         where + ": its answer may depend on nothing but the case";
}

}  // namespace

Support WatchedLab::supports(const Case& c) {
  Support answer = lab_.supports(c);
  if (c != case_) return answer;
  if (supported_.value_or(answer.ok) != answer.ok) {
    throw SupportsFailed(changed_answer(c, answer, ""), c);
  }
  supported_ = answer.ok;
  return answer;
}

// A rank that refuses leaves the others waiting, whose errors are then no fault of theirs.
void WatchedLab::compare_answers(const Request& request, const Observation& observation) {
  if (request.case_ != case_ || request.forced || !supported_.value_or(false)) return;
  for (const RankResult& rank : observation.ranks) {
    const auto refused = rank.facts.find("supports");
    if (refused == rank.facts.end()) continue;
    const std::string where = " on rank " + std::to_string(rank.rank);
    disagreement_ = Verdict::not_run(changed_answer(case_, Support::no(refused->second), where));
    return;
  }
}

const Observation& WatchedLab::observe(const Request& request) {
  if (fatal_ != nullptr) return *fatal_;
  const Observation& observation = lab_.observe(request);
  compare_answers(request, observation);
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
