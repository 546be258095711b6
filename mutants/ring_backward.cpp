#include "mutants/ring_backward.h"

#include "mutants/entry.h"
#include "mutants/ring_tour.h"

namespace attncheck {
namespace {

constexpr const char* kGradients = "gradients_match_reference";

// The keys that came with the first step are the rank's own. Values and owners are the right ones.
void keys_of_the_first_step(RingTour& tour) {
  tour.block = [right = tour.block](const TourShards& own, const TourShards& keys, int owner) {
    return right(own, {keys.q, own.k, keys.v}, owner);
  };
}

Implementation first_keys_in_every_step() {
  Parent parent = touring_parent([](RingTour&) {});
  parent.pass = [](const AttentionOptions& options, const MeshGroups& groups) {
    const RingTour right = right_tour(ring_call(options, groups));
    RingTour wrong = right;
    keys_of_the_first_step(wrong);
    return AttentionPass{tour_forward(right), tour_backward(wrong)};
  };
  return implementation_of("first_keys_in_every_step", parent);
}

// After t steps a sum that began at rank a has been at a, a + 1, ..., where it met the keys of a,
// a + 2, a + 4, ...: all of one owner up to two ranks, a permutation of the blocks from three on,
// so that the sum over the ranks stays right.
Implementation sums_against_the_tour() {
  return implementation_of("sums_against_the_tour",
                           touring_parent([](RingTour& tour) { tour.direction = 1; }));
}

Implementation last_hop_missing() {
  return implementation_of("last_hop_missing",
                           touring_parent([](RingTour& tour) { tour.last_hop = false; }));
}

}  // namespace

std::vector<Mutant> ring_backward_mutants() {
  return {
      make_mutant({.name = "A9",
                   .source = "diffusers #14265, PR 14274",
                   .fault = "ring backward uses the first step's keys in every step",
                   .property = kGradients,
                   .smallest = "mesh=2x1 q=2 d=1"},
                  first_keys_in_every_step()),
      make_mutant({.name = "A10",
                   .source = "diffusers 0.42.1",
                   .fault = "keys are visited r, r+1, ..., and the sums of dk and dv travel to r+1 "
                            "as well",
                   .property = kGradients,
                   .smallest = "mesh=3x1 q=3 d=1"},
                  sums_against_the_tour()),
      make_mutant({.name = "A11",
                   .source = "mindone",
                   .fault = "the last hop is missing: each rank keeps its neighbour's dk and dv",
                   .property = kGradients,
                   .smallest = "mesh=2x1 q=2 d=1"},
                  last_hop_missing()),
  };
}

}  // namespace attncheck
