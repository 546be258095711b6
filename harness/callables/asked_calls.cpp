#include "harness/callables/asked_calls.h"

#include "harness/callables/refused_call.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

// Passes that end in an error or take ranks down cost seconds each. After so many nothing is asked
// any more: what is not asked is found out when it is judged.
constexpr int kMostUnanswered = 3;
constexpr size_t kMostAnswers = 100'000;  // that are remembered

}  // namespace

std::optional<std::string> refused_run(const Request& request, const Observation& observation) {
  std::optional<std::string> reason;
  for (const RankResult& rank : observation.ranks) {
    auto fact = rank.facts.find(kNotAskedFact);
    if (fact == rank.facts.end() && !request.forced) fact = rank.facts.find(kRefusedFact);
    if (fact == rank.facts.end()) return std::nullopt;
    reason = fact->second;
  }
  return reason;
}

Support AskedCalls::answer(const Case& c, const Run& run) {
  const std::lock_guard lock(mutex_);
  const std::string text = to_text(c);
  if (const auto known = answers_.find(text); known != answers_.end()) return known->second;
  if (unanswered_ >= kMostUnanswered) return Support::yes();
  Request request = base_request(c);
  request.backward = false;
  const Observation observation = run(request);
  const auto refused = refused_run(request, observation);
  if (!refused && first_failed_rank(observation) != nullptr) ++unanswered_;
  if (cost_ranks(observation)) unanswered_ = kMostUnanswered;
  if (answers_.size() >= kMostAnswers) answers_.clear();
  return answers_[text] = refused ? Support::no(*refused) : Support::yes();
}

}  // namespace attncheck
