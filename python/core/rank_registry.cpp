#include "python/core/rank_registry.h"

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/built_in.h"
#include "impl/collectives/catalogue.h"
#include "impl/merges/catalogue.h"
#include "impl/models/catalogue.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"

namespace attncheck::python {

Registry rank_registry() {
  Registry registry;
  registry.implementations = {ring_implementation(), ulysses_implementation(),
                              unified_implementation(), allgather_kv_implementation()};
  registry.backends = built_in_backends();
  registry.families = built_in_backend_families();
  registry.collectives = built_in_collectives();
  registry.merges = built_in_merges();
  registry.models = built_in_models();
  return registry;
}

}  // namespace attncheck::python
