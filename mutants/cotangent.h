#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Backwards that misuse the incoming gradient, or do not use it: A3 takes ones, A4 returns
// uninitialised buffers, A8 transposes it, A16 scales it to a top of
// one, A19 returns no dq. The forward is exact in all of them.
std::vector<Mutant> cotangent_mutants();

}  // namespace attncheck
