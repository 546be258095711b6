#include "harness/drive/steering.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace attncheck {

Steering::Steering(int64_t percent, const std::vector<CloseCall>& earlier) : percent_(percent) {
  for (const CloseCall& call : earlier) calls_.add(call);
  after_.push_back(cases());
}

void Steering::enter(const std::vector<CloseCall>& calls) {
  for (const CloseCall& call : calls) calls_.add(call);
  if (++entered_ % kGeneration == 0) after_.push_back(cases());
}

std::vector<Case> Steering::cases() const {
  std::map<std::string, std::vector<CloseCall>> by_property;
  for (const CloseCall& call : calls_.all()) by_property[call.property].push_back(call);
  std::vector<std::vector<CloseCall>> ranked;  // the closest property first
  for (auto& [property, calls] : by_property) ranked.push_back(std::move(calls));
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.front().share > b.front().share; });
  std::vector<Case> cases;
  for (size_t i = 0; i < std::min(ranked.size(), kSteeringProperties); ++i) {
    for (size_t j = 0; j < std::min(ranked[i].size(), kCallsOfAProperty); ++j) {
      cases.push_back(ranked[i][j].case_);
    }
  }
  return cases;
}

size_t Steering::known_to(int64_t drawn) {
  return static_cast<size_t>(std::max<int64_t>(0, drawn / kGeneration - 1));
}

bool Steering::ready(int64_t drawn) const {
  return known_to(drawn) < after_.size();
}

const std::vector<Case>& Steering::near(int64_t drawn) const {
  static const std::vector<Case> nothing;
  const bool its_turn = (drawn + 1) * percent_ / 100 > drawn * percent_ / 100;
  return its_turn ? after_.at(known_to(drawn)) : nothing;
}

}  // namespace attncheck
