#include "mutants/own_shard_alone.h"

#include "impl/layouts/strands.h"
#include "impl/ulysses/ulysses_attention.h"
#include "mutants/entry.h"
#include "mutants/equal_shards.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

AttentionPass of_own_shard(const AttentionOptions& options, const MeshGroups& groups) {
  const int world = groups.mesh.world();
  const auto diagonal =
      block_diagonal(global_diagonal(options), groups.rank * (options.q_len / world),
                     groups.rank * (options.kv_len / world));
  return local_pass(options.backend, options.scale, diagonal);
}

}  // namespace

Mutant own_shard_alone() {
  return make_mutant(
      {.name = "C6",
       .source = "diffusers PR 12443, Megatron-Bridge #2665",
       .fault = "a backend without support attends to its own shard alone: no traffic",
       .property = "remote_keys_are_reached",
       .smallest = "mesh=1x2 q=2 h=2 d=1"},
      implementation_of("own_shard_alone",
                        {of_equal_shards(ulysses_parent().limits), of_own_shard}));
}

}  // namespace attncheck
