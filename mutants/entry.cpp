#include "mutants/entry.h"

#include <utility>

#include "problem/case_text.h"

namespace attncheck {

Mutant make_mutant(const MutantFacts& facts, Subject subject) {
  Mutant mutant;
  mutant.name = facts.name;
  mutant.source = facts.source;
  mutant.fault = facts.fault;
  mutant.property = facts.property;
  mutant.smallest = parse_case("impl=mutant:" + facts.name + " " + facts.smallest);
  mutant.subject = std::move(subject);
  return mutant;
}

}  // namespace attncheck
