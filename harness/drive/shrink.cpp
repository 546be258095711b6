#include "harness/drive/shrink.h"

#include <rapidcheck.h>

#include "harness/drive/smaller_cases.h"

namespace attncheck {
namespace {

rc::Shrinkable<Case> shrinkable(const Case& c) {
  return rc::shrinkable::shrinkRecur(
      c, [](const Case& larger) { return rc::seq::fromContainer(smaller_cases(larger)); });
}

}  // namespace

Shrunk shrink(const Case& failing, const Verdict& verdict, const StillFails& still_fails,
              const ShrinkLimits& limits) {
  const auto deadline = std::chrono::steady_clock::now() + limits.time;
  Shrunk shrunk{failing, verdict};
  auto candidates = shrinkable(failing).shrinks();
  while (auto candidate = candidates.next()) {
    if (shrunk.tries >= limits.tries || std::chrono::steady_clock::now() > deadline) {
      shrunk.finished = false;
      break;
    }
    ++shrunk.tries;
    const std::optional<Verdict> smaller = still_fails(candidate->value());
    if (!smaller) continue;
    shrunk.case_ = candidate->value();
    shrunk.verdict = *smaller;
    candidates = candidate->shrinks();
  }
  return shrunk;
}

}  // namespace attncheck
