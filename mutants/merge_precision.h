#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// A15, B4 and B13: rings whose merge loses what the blocks had.
std::vector<Mutant> merge_precision_mutants();

}  // namespace attncheck
