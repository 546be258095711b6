#pragma once

#include <cmath>
#include <cstdint>

namespace attncheck {

// A stream of independent numbers by place: an element is a hash of (seed, tensor, b, s, h, d), so
// that shrinking a case keeps the values that remain, and every LibTorch and every mesh draws the
// same. The hash is the finaliser of SplitMix64 (Steele, Lea, Flood 2014), chained over the
// coordinates.
class Element {
 public:
  Element(uint64_t seed, uint64_t tensor) : state_(mix(mix(seed) + tensor)) {}

  Element at(int64_t coordinate) const {
    Element next = *this;
    next.state_ = mix(state_ + static_cast<uint64_t>(coordinate) + 1);
    return next;
  }

  uint64_t bits() const { return state_; }
  // An integer from `least` to `most`.
  int64_t integer(int64_t least, int64_t most) const {
    return least + static_cast<int64_t>(state_ % static_cast<uint64_t>(most - least + 1));
  }
  // Standard normal, by Box and Muller's transform of the two halves of the hash.
  double normal() const {
    constexpr double kTwoPi = 6.283185307179586;
    const double u1 = (static_cast<double>(state_ >> 32) + 1.0) * 0x1p-32;  // (0, 1]
    const double u2 = static_cast<double>(state_ & 0xffffffffu) * 0x1p-32;
    return std::sqrt(-2.0 * std::log(u1)) * std::cos(kTwoPi * u2);
  }

 private:
  static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  uint64_t state_;
};

}  // namespace attncheck
