#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "harness/drive/features.h"
#include "problem/case.h"

namespace attncheck {

// RapidCheck's splittable source of random numbers, and nothing else of it: what is drawn depends
// on the seed and the name alone, on every platform. The coordinator's main thread alone uses it.
class RandomCases {
 public:
  RandomCases(uint64_t seed, const std::string& name);
  ~RandomCases();

  // The next case that `make` draws with the picks it is given.
  Case next(const std::function<Case(const Pick&)>& make);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attncheck
