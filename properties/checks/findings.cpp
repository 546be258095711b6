#include "properties/checks/findings.h"

namespace attncheck {

Request watched_request(const Case& c) {
  Request request = base_request(c);
  request.watch = true;
  request.poison = kUsualFill;  // one run serves nothing_uninitialised_is_read as well
  return request;
}

std::optional<Verdict> no_trace(const Observation& observation) {
  for (const RankResult& rank : observation.ranks) {
    if (rank.trace) return std::nullopt;
  }
  return Verdict::unsupported("the transport does not see the exchanges of its ranks");
}

std::optional<Verdict> finding_of(const Observation& observation, std::set<Finding::Kind> kinds,
                                  const char* expected) {
  for (const RankResult& rank : observation.ranks) {
    if (!rank.trace) continue;
    for (const Finding& finding : rank.trace->findings) {
      if (kinds.count(finding.kind) == 0) continue;
      Evidence evidence;
      evidence.rank = rank.rank;
      evidence.expected = expected;
      evidence.got = std::string(to_text(finding.kind)) + ": " + finding.operation;
      evidence.message = finding.text;
      return Verdict::fail(std::move(evidence));
    }
  }
  return std::nullopt;
}

std::set<SubjectKind> talking_subjects() {
  return {SubjectKind::implementation, SubjectKind::collective, SubjectKind::model};
}

}  // namespace attncheck
