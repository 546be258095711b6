#pragma once

namespace attncheck {

// What became of a mutant. Of an equivalent one nothing may be caught; of one that is wrong with
// some backends alone, nothing on the others.
enum class HuntState { caught, survived, equivalent, caught_where_right, not_judged };

const char* to_text(HuntState state);  // "caught", ..., "caught_where_right", "not_judged"

// The exit code of a run over mutants, given all their states: 1 when one survived or was caught
// where it is right, else 3 when one was not judged, else 0.
template <typename States>
int exit_code_of(const States& states) {
  bool unjudged = false;
  for (const HuntState state : states) {
    if (state == HuntState::survived || state == HuntState::caught_where_right) return 1;
    unjudged = unjudged || state == HuntState::not_judged;
  }
  return unjudged ? 3 : 0;
}

}  // namespace attncheck
