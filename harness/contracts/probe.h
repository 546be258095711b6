#pragma once

#include <string>
#include <vector>

#include "harness/contracts/tensor_form.h"
#include "reference/contract_table.h"

namespace attncheck {

// What an operator returned when it was run here, for each dtype of q that it is asked in.
struct ProbeResult {
  std::vector<OperatorReturns> runs;
  std::string not_run;  // the reason, where there are none
};

// Runs the operator of a row, a backward after its forward, on a fixed problem: CPU operators in
// float64 and bfloat16, once as they are and, where the row says something of rows without keys,
// once with a mask that hides every key of one row. A CUDA operator is not run where there is no
// CUDA device. An operator that throws is not_run with what it said.
ProbeResult probe(const reference::KernelContract& contract);

}  // namespace attncheck
