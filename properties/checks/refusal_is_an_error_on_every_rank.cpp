#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/completion.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

Support call_can_see_it(const Case& c) {
  if (c.lse_cotangent) return Support::no("a call is not told of the gradient of lse");
  if (!c.schedule.empty()) return Support::no("a call is not told of the schedule");
  return Support::yes();
}

// What is wrong with the way in which a rank refused; empty when nothing is.
std::string wrong_refusal(const RankResult& rank) {
  if (!rank.error) return rank.tensors.empty() ? "gave no error" : "returned a result";
  if (rank.error->phase > Phase::forward) return "ended late, " + error_text(rank);
  if (rank.error->text.find("deadlock") != std::string::npos) return "hung, " + error_text(rank);
  return "";
}

Verdict refused_everywhere(const Case& c, Lab& lab) {
  const Support supported = lab.supports(c);
  if (supported) return Verdict::unsupported("the subject supports this case");
  Request request = plain_request(c);
  request.forced = true;
  const Observation& observation = lab.observe(request);
  if (observation.unrepeatable) return *ended_early(observation);
  for (const RankResult& rank : observation.ranks) {
    const std::string wrong = wrong_refusal(rank);
    if (wrong.empty()) continue;
    Evidence evidence;
    evidence.rank = rank.rank;
    evidence.expected = "an error in the forward pass: " + supported.reason;
    evidence.got = wrong;
    evidence.message =
        fmt::format("the case is refused ({}), but rank {} {}", supported.reason, rank.rank, wrong);
    return Verdict::fail(std::move(evidence));
  }
  return observation.ranks.empty() ? Verdict::not_run("no rank ran") : Verdict::pass();
}

}  // namespace

Property refusal_is_an_error_on_every_rank() {
  Property property;
  property.name = "refusal_is_an_error_on_every_rank";
  property.explains = "what the subject does not support is an error on every rank, and no result";
  property.subjects = attention_subjects();
  property.subjects.insert(SubjectKind::model);
  property.applies = [](const Case& c) { return all_of({needs_attention(c), call_can_see_it(c)}); };
  property.check = refused_everywhere;
  property.about_refusals = true;
  return property;
}

}  // namespace attncheck
