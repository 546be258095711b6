#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// Rings whose values are right: one sums in the order of arrival, one sends its keys around twice,
// one keeps the keys of every rank for backward.
std::vector<Mutant> house_traffic_mutants();

}  // namespace attncheck
