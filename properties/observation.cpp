#include "properties/observation.h"

namespace attncheck {

const RankResult* first_failed_rank(const Observation& observation) {
  const RankResult* first = nullptr;
  for (const RankResult& rank : observation.ranks) {
    if (rank.error && (first == nullptr || rank.error->phase < first->error->phase)) first = &rank;
  }
  // A rank that died takes its peers down with it: it is the one to name.
  for (const RankResult& rank : observation.ranks) {
    if (rank.error && rank.error->phase == Phase::process && rank.facts.count("bystander") == 0) {
      return &rank;
    }
  }
  return first;
}

std::string error_text(const RankResult& failed) {
  if (!failed.error) return "rank " + std::to_string(failed.rank) + ": no error";
  return "rank " + std::to_string(failed.rank) + ", " + to_text(failed.error->phase) + ": " +
         failed.error->text;
}

std::string refusal(const Observation& observation) {
  std::string reason;
  for (const RankResult& rank : observation.ranks) {
    const auto fact = rank.facts.find("supports");
    if (fact == rank.facts.end()) return "";
    reason = fact->second;
  }
  return reason;
}

bool all_ranks_have(const Observation& observation, const std::string& tensor) {
  for (const RankResult& rank : observation.ranks) {
    if (rank.tensors.count(tensor) == 0) return false;
  }
  return !observation.ranks.empty();
}

}  // namespace attncheck
