#include "properties/observation.h"

#include <algorithm>
#include <utility>

namespace attncheck {

const RankResult* lost_rank(const Observation& observation) {
  for (const RankResult& rank : observation.ranks) {
    if (rank.error && rank.error->phase == Phase::process && rank.facts.count("bystander") == 0) {
      return &rank;
    }
  }
  return nullptr;
}

bool cost_ranks(const Observation& observation) {
  return std::any_of(
      observation.ranks.begin(), observation.ranks.end(),
      [](const RankResult& rank) { return rank.error && rank.error->phase == Phase::process; });
}

const RankResult* first_failed_rank(const Observation& observation) {
  // A rank that died takes its peers down with it: it is the one to name.
  if (const RankResult* lost = lost_rank(observation)) return lost;
  const auto before = [](const RankResult& a, const RankResult& b) {
    const bool a_waited = a.facts.count("bystander") > 0, b_waited = b.facts.count("bystander") > 0;
    return std::pair(a_waited, a.error->phase) < std::pair(b_waited, b.error->phase);
  };
  const RankResult* first = nullptr;
  for (const RankResult& rank : observation.ranks) {
    if (rank.error && (first == nullptr || before(rank, *first))) first = &rank;
  }
  return first;
}

std::string error_text(const RankResult& failed) {
  if (!failed.error) return "rank " + std::to_string(failed.rank) + ": no error";
  if (failed.error->phase == Phase::process) {
    return "rank " + std::to_string(failed.rank) + " " + failed.error->text;
  }
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
