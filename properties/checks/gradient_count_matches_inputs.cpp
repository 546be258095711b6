#include <string_view>

#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/gradient_plumbing.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

constexpr std::string_view kEngineComplaint = "incorrect number of gradients";

Verdict gradient_count_matches(const Case& c, Lab& lab) {
  const Observation& observation = lab.observe(base_request(c));
  for (const RankResult& rank : observation.ranks) {
    if (!rank.error || rank.error->phase != Phase::backward) continue;
    const size_t place = rank.error->text.find(kEngineComplaint);
    if (place == std::string::npos) continue;
    Evidence evidence;
    evidence.rank = rank.rank;
    evidence.expected = "as many gradients as forward took inputs";
    evidence.got = rank.error->text.substr(place);
    evidence.message = fmt::format("backward on rank {} gave a wrong number of gradients: {}",
                                   rank.rank, rank.error->text);
    return Verdict::fail(std::move(evidence));
  }
  const auto ended = ended_early(observation);
  return ended ? *ended : Verdict::pass();
}

}  // namespace

Property gradient_count_matches_inputs() {
  Property property;
  property.name = "gradient_count_matches_inputs";
  property.explains = "backward returns one gradient for each input of forward";
  property.subjects = {SubjectKind::implementation, SubjectKind::local, SubjectKind::collective};
  property.applies = needs_gradient;
  property.check = gradient_count_matches;
  return property;
}

}  // namespace attncheck
