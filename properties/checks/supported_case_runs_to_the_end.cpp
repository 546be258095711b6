#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "properties/checks/completion.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

bool has_fact(const RankResult& rank, const char* fact) {
  return rank.facts.count(fact) > 0;
}

// Threads are left by an equal run on the same processes as well: a pool that starts once is no
// fault, one more thread for each call is.
std::optional<Evidence> leaves_threads(const Case& c, const Observation& first, Lab& lab) {
  const auto left = [](const RankResult& rank) { return has_fact(rank, "threads_left"); };
  if (std::none_of(first.ranks.begin(), first.ranks.end(), left)) return std::nullopt;
  Request request = base_request(c);
  request.repeat = 1;
  const Observation& again = lab.observe(request);
  for (size_t i = 0; i < first.ranks.size() && i < again.ranks.size(); ++i) {
    const RankResult &rank = first.ranks[i], &repeated = again.ranks[i];
    if (!left(rank) || !left(repeated)) continue;
    if (rank.facts.at("process") != repeated.facts.at("process")) continue;
    Evidence evidence;
    evidence.rank = rank.rank;
    evidence.expected = "as many threads after a run as before";
    evidence.got = fmt::format("{} more, and {} more after an equal run",
                               rank.facts.at("threads_left"), repeated.facts.at("threads_left"));
    evidence.message =
        fmt::format("the process of rank {} has more threads after each run", rank.rank);
    return evidence;
  }
  return std::nullopt;
}

Verdict ran_to_the_end(const Case& c, Lab& lab) {
  const Observation& observation = lab.observe(base_request(c));
  const RankResult* failed = first_failed_rank(observation);
  if (observation.unrepeatable || failed == nullptr) {
    if (const auto ended = ended_early(observation)) return *ended;
    const auto evidence = leaves_threads(c, observation, lab);
    return evidence ? Verdict::fail(*evidence) : Verdict::pass();
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
  property.explains =
      "a case that the subject says it supports ends without an error on any rank, and its threads "
      "end";
  property.subjects = {SubjectKind::implementation, SubjectKind::local, SubjectKind::collective,
                       SubjectKind::merge, SubjectKind::model};
  property.applies = [](const Case&) { return Support::yes(); };
  property.check = ran_to_the_end;
  return property;
}

}  // namespace attncheck
