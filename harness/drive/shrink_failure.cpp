#include "harness/drive/check_stream.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

// Where nothing smaller failed, the case itself may fail by chance: a race, a kernel's first call.
// It stays a failure, whose next reader is told.
Shrunk tried_again(const Property& property, LaneLab& lane, Shrunk shrunk) {
  lane.forget();
  if (judge(property, shrunk.case_, *lane.lab).failed()) return shrunk;
  if (!shrunk.verdict.evidence) shrunk.verdict.evidence.emplace();
  shrunk.verdict.evidence->message += "; run again, the same case did not fail";
  return shrunk;
}

// What was shrunk in haste is judged once more at leisure.
Shrunk confirmed(const Property& property, const Case& failing, const Verdict& verdict,
                 LaneLab& lane, Shrunk shrunk) {
  if (shrunk.case_ == failing) return shrunk;
  lane.forget();
  Verdict again = judge(property, shrunk.case_, *lane.lab);
  if (!again.failed()) return {failing, verdict, shrunk.tries, false};
  shrunk.verdict = std::move(again);
  return shrunk;
}

}  // namespace

Shrunk shrink_failure(const Property& property, const Case& failing, const Verdict& verdict,
                      LaneLab& lane, const CheckOptions& options, const ShrinkWish& wish) {
  int64_t tries = 0;
  const StillFails still_fails = [&](const Case& c) -> std::optional<Verdict> {
    if (!wish.wanted(c)) return std::nullopt;
    options.progress(
        {to_text(failing), "shrinking " + property.name, ++tries, options.shrink.tries});
    lane.forget();
    Verdict smaller = judge(property, c, *lane.lab);
    if (!smaller.failed() || !may_be_the_same(verdict, smaller)) return std::nullopt;
    wish.smaller(c, smaller);
    return smaller;
  };
  lane.lab->hurry(true);
  Shrunk shrunk = shrink(failing, verdict, still_fails, options.shrink);
  const bool believed = lane.lab->hurry(false);
  if (believed) shrunk = confirmed(property, failing, verdict, lane, std::move(shrunk));
  if (shrunk.case_ == failing) return tried_again(property, lane, std::move(shrunk));
  return shrunk;
}

}  // namespace attncheck
