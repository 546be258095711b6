#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Wrong with the memory of their inputs: one scales q in place, one reads the incoming gradient in
// the order of its storage.
std::vector<Mutant> house_memory_mutants();

}  // namespace attncheck
