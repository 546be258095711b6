#include "cli/manifest.h"

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/built_in.h"
#include "impl/collectives/catalogue.h"
#include "impl/merges/catalogue.h"
#include "impl/models/catalogue.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "mutants/catalogue.h"

namespace attncheck::cli {

const Registry& built_in() {
  static const Registry registry{
      .implementations = {ring_implementation(), ulysses_implementation(), unified_implementation(),
                          allgather_kv_implementation()},
      .backends = built_in_backends(),
      .families = built_in_backend_families(),
      .collectives = built_in_collectives(),
      .merges = built_in_merges(),
      .models = built_in_models(),
      .mutants = mutant_catalogue(),
  };
  return registry;
}

std::vector<std::string> subject_names(const Registry& registry) {
  std::vector<std::string> names;
  for (const std::string& name : registry.subject_names()) {
    if (!name.starts_with("mutant:")) names.push_back(name);
  }
  return names;
}

}  // namespace attncheck::cli
