#pragma once

#include "harness/registry.h"

namespace attncheck::cli {

// What is built in. A new implementation, backend or collective is one line in manifest.cpp.
const Registry& built_in();

// Names that --impl takes: everything but the mutants, which `all` must not bring in.
std::vector<std::string> subject_names(const Registry& registry);

}  // namespace attncheck::cli
