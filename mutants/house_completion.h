#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// A supported case that throws on one rank, and a refusal that one rank alone reports.
std::vector<Mutant> house_completion_mutants();

}  // namespace attncheck
