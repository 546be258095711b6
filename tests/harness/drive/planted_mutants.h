#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/drive/lanes.h"
#include "impl/contract/mutant.h"
#include "problem/case_text.h"
#include "tests/harness/drive/planted_properties.h"

namespace attncheck {

// A mutant by its name alone: what is wrong with it is what properties say of it.
inline Mutant mutant_named(const std::string& name, const std::string& property) {
  Mutant mutant;
  mutant.name = name;
  mutant.source = "test";
  mutant.property = property;
  mutant.smallest = parse_case("impl=mutant:" + name + " mesh=2x1 q=2 d=1");
  mutant.subject = Implementation{};
  return mutant;
}

inline std::vector<const Mutant*> all_of_mutants(const std::vector<Mutant>& mutants) {
  std::vector<const Mutant*> all;
  for (const Mutant& mutant : mutants) all.push_back(&mutant);
  return all;
}

inline std::vector<LaneLab> oracle_lanes(size_t count) {
  std::vector<LaneLab> labs;
  for (size_t i = 0; i < count; ++i) labs.push_back({std::make_shared<OracleLab>()});
  return labs;
}

}  // namespace attncheck
