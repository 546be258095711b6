#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace attncheck {

// Problems of blocks, the same for the same seed on every platform: dtypes, head_dims, lengths,
// heads, masks and causality at and around what kernels treat in their own way.
std::vector<Problem> drawn_problems(uint64_t seed, int count);

// "b=1 h=4 hkv=2 q=64 kv=1 d=64 dv=64 bf16 causal mask".
std::string problem_text(const Problem& problem);

}  // namespace attncheck
