#pragma once

#include <string>
#include <vector>

#include "impl/contract/backend.h"

namespace attncheck {

// Backends of one name that a parameter tells apart: "cudnn_emulated:2.8", "cudnn_emulated:2.9".
// The name alone names none of them.
struct BackendFamily {
  std::string name;                 // "cudnn_emulated"
  std::string parameter;            // what it is, for whoever got it wrong: "a release of LibTorch"
  std::vector<Backend> all;         // one for each parameter that may be named, by their full names
  std::vector<std::string> listed;  // the full names that stand in lists, and that `all` means
};

}  // namespace attncheck
