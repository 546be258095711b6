#include "impl/backends/built_in.h"

#include <iterator>
#include <utility>
#include <vector>

#include "cli/manifest.h"
#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/cuda_device.h"
#include "impl/collectives/catalogue.h"
#include "impl/merges/catalogue.h"
#include "impl/models/catalogue.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "mutants/catalogue.h"
#include "plugin/manifest.h"

namespace attncheck {
namespace {

template <typename Entry>
void append(std::vector<Entry>& entries, std::vector<Entry> more) {
  std::move(more.begin(), more.end(), std::back_inserter(entries));
}

}  // namespace

// A new implementation, backend or collective is one line here, or in the catalogue that is named.
void add_built_in(Additions& additions) {
  append(additions.implementations, {ring_implementation(), ulysses_implementation(),
                                     unified_implementation(), allgather_kv_implementation()});
  append(additions.backends, built_in_backends());
  if (cli::cuda_here()) append(additions.backends, cuda_backends());
  append(additions.families, built_in_backend_families());
  append(additions.collectives, built_in_collectives());
  append(additions.merges, built_in_merges());
  append(additions.models, built_in_models());
  append(additions.properties, all_properties());
  add_mutants(additions);
}

}  // namespace attncheck
