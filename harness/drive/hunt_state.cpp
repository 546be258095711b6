#include "harness/drive/hunt_state.h"

#include "problem/words.h"

namespace attncheck {
namespace {

constexpr Words<HuntState, 5> kHuntWords{
    {"caught", "survived", "equivalent", "caught_where_right", "not_judged"}};

}  // namespace

const char* to_text(HuntState state) {
  return kHuntWords.of(state);
}

}  // namespace attncheck
