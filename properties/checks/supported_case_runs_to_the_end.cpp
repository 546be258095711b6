#include <fmt/format.h>

#include "properties/checks/completion.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

Verdict ran_to_the_end(const Case& c, Lab& lab) {
  const Observation& observation = lab.observe(base_request(c));
  const RankResult* failed = first_failed_rank(observation);
  if (observation.unrepeatable || failed == nullptr) {
    const auto ended = ended_early(observation);
    return ended ? *ended : Verdict::pass();
  }
  Evidence evidence;
  evidence.rank = failed->rank;
  evidence.expected = "a result on every rank";
  evidence.got = failed->error->text;
  evidence.message = fmt::format("a supported case ended in an error at {}", error_text(*failed));
  return Verdict::fail(std::move(evidence));
}

}  // namespace

Property supported_case_runs_to_the_end() {
  Property property;
  property.name = "supported_case_runs_to_the_end";
  property.explains = "a case that the subject says it supports ends without an error on any rank";
  property.subjects = {SubjectKind::implementation, SubjectKind::local, SubjectKind::collective,
                       SubjectKind::merge, SubjectKind::model};
  property.applies = [](const Case&) { return Support::yes(); };
  property.check = ran_to_the_end;
  return property;
}

}  // namespace attncheck
