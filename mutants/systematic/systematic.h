#pragma once

#include <string>
#include <vector>

#include "impl/contract/mutant.h"
#include "mutants/systematic/operator.h"

namespace attncheck {

// All operators, by name.
std::vector<Operator> mutation_operators();

// An operator on a method, at work in a phase.
struct AppliedOperator {
  Operator op;
  Reach reach;
  Method method = Method::other;
  Phase phase = Phase::both;

  std::string name() const;      // "sys_ring_drops_a_wait_backward"
  std::string smallest() const;  // words of the smallest case that shows it
  std::string harmless() const;  // of one on which nothing is wrong; empty: there is none
};

// Every operator on every method and in every phase that it reaches.
std::vector<AppliedOperator> applied_operators();

std::vector<Mutant> systematic_mutants();

}  // namespace attncheck
