#pragma once

#include <cstdint>

namespace attncheck {

// Axes of (B, S, H, D).
inline constexpr int64_t kSequenceAxis = 1;
inline constexpr int64_t kHeadsAxis = 2;

}  // namespace attncheck
