#include "cli/manifest.h"

#include <stdexcept>
#include <utility>

#include "harness/gpu_library.h"
#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/built_in.h"
#include "impl/backends/cuda_device.h"
#include "impl/collectives/catalogue.h"
#include "impl/merges/catalogue.h"
#include "impl/models/catalogue.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "mutants/catalogue.h"

namespace attncheck::cli {
namespace {

// Whether backends of CUDA run in this process.
const Support& cuda_here() {
  static const Support here = [] {
    const Support loaded = load_cuda();
    return loaded ? cuda_device().here : loaded;
  }();
  return here;
}

std::vector<Backend> backends_here() {
  std::vector<Backend> backends = built_in_backends();
  if (!cuda_here()) return backends;
  for (Backend& backend : cuda_backends()) backends.push_back(std::move(backend));
  return backends;
}

}  // namespace

const Registry& program_registry() {
  static const Registry registry{
      .implementations = {ring_implementation(), ulysses_implementation(), unified_implementation(),
                          allgather_kv_implementation()},
      .backends = backends_here(),
      .families = built_in_backend_families(),
      .collectives = built_in_collectives(),
      .merges = built_in_merges(),
      .models = built_in_models(),
      .mutants = mutant_catalogue(),
      .properties = all_properties(),
  };
  return registry;
}

const std::vector<Backend>& absent_backends() {
  static const std::vector<Backend> absent = cuda_here() ? std::vector<Backend>{} : cuda_backends();
  return absent;
}

void require_here(const std::string& backend) {
  for (const Backend& absent : absent_backends()) {
    if (absent.name != backend) continue;
    throw std::runtime_error("not_run: backend " + backend + ": " + cuda_here().reason);
  }
}

std::vector<std::string> subject_names(const Registry& registry) {
  std::vector<std::string> names;
  for (const std::string& name : registry.subject_names()) {
    if (!name.starts_with("mutant:")) names.push_back(name);
  }
  return names;
}

}  // namespace attncheck::cli
