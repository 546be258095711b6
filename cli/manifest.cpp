#include "cli/manifest.h"

#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/collectives/catalogue.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "mutants/catalogue.h"

namespace attncheck::cli {

const Registry& built_in() {
  static const Registry registry{
      .implementations = {ring_implementation(), ulysses_implementation(),
                          unified_implementation()},
      .backends = {math_backend(), flash_cpu_backend()},
      .collectives = built_in_collectives(),
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
