#pragma once

#include <string>
#include <vector>

#include "harness/registry.h"

namespace attncheck::cli {

// What this program knows: what its manifest adds (plugin/manifest.h), and its plug-ins. Throws
// UsageError, the first time, for a manifest whose names or functions are not in order.
const Registry& program_registry();

// Loads plug-ins, in that order, before the registry is used. Throws UsageError for the first that
// is refused.
void load_plugins(const std::vector<std::string>& paths);

// From here on this process is ending, and what its plug-ins do then is named as theirs.
void name_what_ends();

// Adds the callables that the file describes; an empty path is no file. Throws UsageError, and
// where a plug-in is loaded: the ranks that call them load none.
void load_callables(const std::string& path);

// Whether backends of CUDA run in this process.
const Support& cuda_here();

// Backends that are built in and cannot run on this machine, whatever the problem: those of CUDA
// where there is no device. They are in no list of names and no default; their contracts hold.
const std::vector<Backend>& absent_backends();

// Throws std::runtime_error, which is exit 3, for the name of an absent backend: it says why.
void require_here(const std::string& backend);

// Names that --impl takes: everything but the mutants, which `all` must not bring in.
std::vector<std::string> subject_names(const Registry& registry);

}  // namespace attncheck::cli
