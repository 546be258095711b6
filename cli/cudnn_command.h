#pragma once

#include <string>
#include <vector>

namespace attncheck::cli {

struct CudnnArguments {
  bool asked = false;        // --cudnn
  std::vector<int> devices;  // SM versions: 80, 90; empty: 80, 90 and 100
  std::string json;
};

// `attncheck contracts --cudnn`: cuDNN's own answers, for GPUs that need not be there, as tables.
// Exit 1 where the backend `cudnn` supports what this cuDNN refuses, and 3, not_run with the
// reason, where cuDNN cannot be asked. Throws UsageError for an SM version that nobody can be asked
// about.
int cudnn_surface_command(const CudnnArguments& arguments);

}  // namespace attncheck::cli
