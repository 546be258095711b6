#include "mutants/ring_group_alone.h"

#include "impl/layouts/strands.h"
#include "mutants/entry.h"
#include "mutants/equal_shards.h"
#include "mutants/ring_tour.h"

namespace attncheck {
namespace {

// The shards of a ring group lie U shards apart in the sequence, each where its world rank says.
AttentionPass ring_of_shards(const AttentionOptions& options, const MeshGroups& groups) {
  RingTour tour = right_tour(ring_call(options, groups));
  tour.block = [call = tour.call, mesh = groups.mesh, rank = groups.rank,
                diagonal = global_diagonal(options)](const TourShards& own, const TourShards& keys,
                                                     int owner) {
    const int64_t keys_rank = mesh.rank(owner, mesh.ulysses_index(rank));
    BackendInputs block = key_block(own.q, keys.k, keys.v, call, owner);
    block.diagonal = block_diagonal(diagonal, rank * own.q.size(1), keys_rank * keys.k.size(1));
    return block;
  };
  return {tour_forward(tour), tour_backward(tour)};
}

}  // namespace

Mutant ring_group_alone() {
  const Parent parent{of_equal_shards(unified_parent().limits), ring_of_shards};
  return make_mutant({.name = "C5",
                      .source = "mindone",
                      .fault = "the ring group alone is gathered: each query sees 1/U of the keys",
                      .property = "remote_keys_are_reached",
                      .smallest = "mesh=2x2 q=4 h=2 d=1"},
                     implementation_of("ring_group_alone", parent));
}

}  // namespace attncheck
