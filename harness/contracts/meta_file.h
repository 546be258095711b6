#pragma once

#include <map>
#include <string>

#include "harness/contracts/tensor_form.h"

namespace attncheck {

// What a release's own meta kernels answered (ci/lib/meta_contracts.py writes it).
struct MetaKernels {
  std::string libtorch;                            // "2.9.1+cu128"
  std::map<std::string, OperatorReturns> returns;  // by operator
};

// Throws std::invalid_argument, one line, for text that is no such file, and for one that asked on
// other sizes than the probe's.
MetaKernels parse_meta_kernels(const std::string& text);

}  // namespace attncheck
