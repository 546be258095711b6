#pragma once

#include <string>
#include <vector>

#include "harness/registry.h"

namespace attncheck::cli {

// What this program knows: what is built in and can run here. A new implementation, backend or
// collective is one line in manifest.cpp.
const Registry& program_registry();

// Backends that are built in and cannot run on this machine, whatever the problem: those of CUDA
// where there is no device. They are in no list of names and no default; their contracts hold.
const std::vector<Backend>& absent_backends();

// Throws std::runtime_error, which is exit 3, for the name of an absent backend: it says why.
void require_here(const std::string& backend);

// Names that --impl takes: everything but the mutants, which `all` must not bring in.
std::vector<std::string> subject_names(const Registry& registry);

}  // namespace attncheck::cli
