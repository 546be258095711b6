#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/drive/check_stream.h"
#include "harness/drive/kill_matrix.h"
#include "impl/contract/mutant.h"

namespace attncheck {

struct MatrixOptions {
  int64_t cases = 100;  // of each mutant and seed, at most
  uint64_t seed = 0;    // the first one; the others follow
  int seeds = 5;
  std::function<void(const Progress&)> progress = [](const Progress&) {};  // called in any lane
};

// Every property on every mutant, on the cases that its hunt draws: a property judges each case
// until it has failed, all that are left judge a case together and share its runs. A mutant that
// keeps state from call to call stays in one lane, so that rows do not depend on the number of
// lanes, nor on the other mutants; times do.
std::vector<MatrixRow> matrix_rows(const std::vector<const Mutant*>& mutants,
                                   const PropertyList& properties, Lanes& lanes,
                                   const MatrixOptions& options);

}  // namespace attncheck
