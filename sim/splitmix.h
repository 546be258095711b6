#pragma once

#include <cstdint>

namespace attncheck::sim {

// SplitMix64 (Steele, Lea and Flood 2014): the same numbers with every compiler and library.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // 0 <= result < count; the bias is below count / 2^64.
  int below(int count) { return static_cast<int>(next() % static_cast<uint64_t>(count)); }

 private:
  uint64_t state_;
};

}  // namespace attncheck::sim
