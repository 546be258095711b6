#pragma once

#include <string>

#include "impl/contract/mutant.h"

namespace attncheck {

// What a mutant says of itself.
struct MutantFacts {
  std::string name, source, fault, property;
  std::string smallest;  // the words of its smallest case, without impl=
};

Mutant make_mutant(const MutantFacts& facts, Subject subject);

}  // namespace attncheck
