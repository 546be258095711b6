#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// B10 and B11: a ring that returns its log-sum-exp in a form that fits some sizes alone.
std::vector<Mutant> lse_form_mutants();

}  // namespace attncheck
