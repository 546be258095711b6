#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

struct Additions;

// Every mutant, those of the public faults first, in the order of their names, then those of the
// house. Each call makes them anew.
std::vector<Mutant> mutant_catalogue();

// The same for a manifest; what a program that opened this library as a plug-in would call.
void add_mutants(Additions& additions);

}  // namespace attncheck
