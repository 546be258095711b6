#pragma once

#include "harness/drive/abilities.h"
#include "harness/drive/features.h"
#include "harness/drive/stream_spec.h"

namespace attncheck {

// A case that differs from `closest` in one thing: its data, one feature more or less, or one size.
// Sizes stay within those that are drawn otherwise, or within its own. Of subjects without a
// backend the data alone changes. Whether the subject supports what came out is for the caller to
// ask.
Case near_case(const Case& closest, SubjectKind kind, const Abilities& abilities, const Pick& pick);

}  // namespace attncheck
