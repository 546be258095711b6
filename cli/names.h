#pragma once

#include <string>
#include <vector>

#include "harness/drive/judge.h"
#include "harness/registry.h"
#include "problem/case.h"

namespace attncheck::cli {

// The names of a list flag. Without any, `defaults`; for `all`, every known one; else those given,
// each once. Throws UsageError with the nearest name and the list for one that nobody has.
std::vector<std::string> chosen(const std::string& kind, const std::vector<std::string>& given,
                                const std::vector<std::string>& known,
                                const std::vector<std::string>& defaults);

// Throws UsageError for a name that is not among `known`.
void require_name(const std::string& kind, const std::string& name,
                  const std::vector<std::string>& known);

// Throws UsageError for a mutant among callables, whose ranks know none.
void require_ranks_know(const Registry& registry, const std::string& impl);

// The backends of a --backend flag: like chosen(), and a family's with every parameter that it
// takes.
std::vector<std::string> chosen_backends(const Registry& registry,
                                         const std::vector<std::string>& given,
                                         const std::vector<std::string>& defaults);

std::vector<std::string> transport_names();
std::vector<std::string> dtype_names();

// The properties of a --property flag, in the order in which they are reported.
PropertyList chosen_properties(const Registry& registry, const std::vector<std::string>& given);

// Throws UsageError for text that is not RxU.
std::vector<Mesh> mesh_arguments(const std::vector<std::string>& texts);

}  // namespace attncheck::cli
