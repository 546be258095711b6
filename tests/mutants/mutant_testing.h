#pragma once

#include <string>
#include <vector>

#include "impl/contract/mutant.h"
#include "problem/case.h"
#include "tests/mutants/launched_mesh.h"

namespace attncheck::testing {

// The catalogue's mutant of that name. Throws if there is none.
Mutant mutant(const std::string& name);

// A built-in backend, or "four_axis_kernel": a float64 kernel whose log-sum-exp is (B, H, S, 1).
Backend backend_named(const std::string& name);

// What a run of a mutant gave on a simulated mesh.
struct Outcome {
  // Which of out, lse, dq, dk and dv differ from the oracle on some rank, in this order with blanks
  // between; "" when all are right. A wrong shape or an undefined gradient differs.
  std::string wrong;
  std::vector<std::string> errors;  // by rank, "" for none
};

// Runs an implementation on the case `words` describe (without impl=), each rank's input drawn from
// the whole problem; dlse=1 adds a cotangent of lse. A difference below 1e-12 in float64, 1e-5 in
// float32, or some roundings of a narrower dtype, is none.
Outcome outcome(const std::string& name, const std::string& words);
// The same on ranks that ran nothing before, launched in this way.
Outcome outcome(const std::string& name, const std::string& words, const Launch& launch);
Outcome outcome(const Case& c, const Launch& launch);  // c.impl: "mutant:..."

// Runs a collective on tagged elements: whether every rank got each element that the specification
// names, in the declared shape.
bool arrives(const std::string& name, const std::string& words);

}  // namespace attncheck::testing
