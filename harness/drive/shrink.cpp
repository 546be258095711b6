#include "harness/drive/shrink.h"

#include <cmath>
#include <vector>

#include <rapidcheck.h>

#include "harness/drive/leaps.h"
#include "harness/drive/smaller_cases.h"

namespace attncheck {
namespace {

rc::Shrinkable<Case> shrinkable(const Case& c) {
  return rc::shrinkable::shrinkRecur(
      c, [](const Case& larger) { return rc::seq::fromContainer(smaller_cases(larger)); });
}

// Rounding that is worse than a bound allows is so by little: an accumulator one dtype narrower is
// off by more than this where it adds more than a few terms.
constexpr double kMostOfRounding = 4;
// What is off by so many times more was no such error.
constexpr double kFarFromIt = 10;

// Of the bound; infinite for what is no number, and for what has no error to measure.
double size_of(const Verdict& failure) {
  if (!failure.evidence || failure.evidence->error == 0) return HUGE_VAL;
  const double share = failure.share_of_bound();
  return std::isnan(share) ? HUGE_VAL : share;
}

}  // namespace

bool may_be_the_same(const Verdict& failing, const Verdict& smaller) {
  const double size = size_of(smaller);
  return size > kMostOfRounding || size_of(failing) < kFarFromIt * size;
}

Shrunk shrink(const Case& failing, const Verdict& verdict, const StillFails& still_fails,
              const ShrinkLimits& limits) {
  const auto deadline = std::chrono::steady_clock::now() + limits.time;
  Shrunk shrunk{failing, verdict};
  const auto take = [&](const Case& candidate) {
    ++shrunk.tries;
    const std::optional<Verdict> smaller = still_fails(candidate);
    if (smaller) shrunk.case_ = candidate, shrunk.verdict = *smaller;
    return smaller.has_value();
  };
  // A wrong value is shrunk step by step: its smallest case says more than any small one.
  const bool measured = verdict.evidence && verdict.evidence->error != 0;
  for (const Case& leap : measured ? std::vector<Case>() : leaps(failing)) {
    if (take(leap)) break;
  }
  auto candidates = shrinkable(shrunk.case_).shrinks();
  while (auto candidate = candidates.next()) {
    if (shrunk.tries >= limits.tries || std::chrono::steady_clock::now() > deadline) {
      shrunk.finished = false;
      break;
    }
    if (take(candidate->value())) candidates = candidate->shrinks();
  }
  return shrunk;
}

}  // namespace attncheck
