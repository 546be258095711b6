#pragma once

#include <vector>

#include "impl/contract/backend.h"
#include "impl/contract/backend_family.h"
#include "impl/contract/collective.h"
#include "impl/contract/implementation.h"
#include "impl/contract/merge.h"
#include "impl/contract/model.h"
#include "impl/contract/mutant.h"
#include "properties/property.h"

namespace attncheck {

// What somebody brings to a program: filled by a plug-in's init (plugin.h) or by a program's own
// manifest (manifest.h). Names are letters, digits, '_', '-' and '.', and new to the program.
struct Additions {
  std::vector<Implementation> implementations = {};
  std::vector<Backend> backends = {};
  std::vector<BackendFamily> families = {};
  std::vector<Collective> collectives = {};
  std::vector<Merge> merges = {};
  std::vector<Model> models = {};
  std::vector<Mutant> mutants = {};
  std::vector<Property> properties = {};
};

}  // namespace attncheck
