#pragma once

#include <cstdint>

namespace attncheck {

// The least multiple of `of`, at least 1, that is not below `size`, which is not negative.
constexpr int64_t next_multiple(int64_t size, int64_t of) {
  return (size + of - 1) / of * of;
}

}  // namespace attncheck
