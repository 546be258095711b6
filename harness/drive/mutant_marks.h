#pragma once

#include <string>

namespace attncheck {

// What a catalogue says of a mutant beside its fault, where its entries have a place for it.

// Why no property can tell it from a right one; empty: one can.
template <typename M>
std::string equivalent_of(const M& mutant) {
  if constexpr (requires { mutant.equivalent; }) return mutant.equivalent;
  return "";
}

// Whether it is one of many that an operator makes.
template <typename M>
bool is_systematic(const M& mutant) {
  if constexpr (requires { mutant.systematic; }) return mutant.systematic;
  return false;
}

}  // namespace attncheck
