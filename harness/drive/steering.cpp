#include "harness/drive/steering.h"

#include <algorithm>

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
  std::vector<Case> cases;
  for (const CloseCall& call : calls_.all()) cases.push_back(call.case_);
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
