#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// A12: before a backward that takes (B, H, S, D), k and v are transposed twice and q once. Where a
// rank has as many keys as there are KV heads nothing objects; elsewhere it throws. A kernel that
// takes (B, S, H, D) is spared: nobody transposes for it.
Mutant keys_transposed_twice();

}  // namespace attncheck
