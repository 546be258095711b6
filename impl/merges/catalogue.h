#pragma once

#include <vector>

#include "impl/contract/merge.h"

namespace attncheck {

// The merges as subjects.
//   logaddexp   merge.h, what the ring uses
std::vector<Merge> built_in_merges();

}  // namespace attncheck
