#include "mutants/house_invariance.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/round.h>

#include "mutants/entry.h"
#include "mutants/kernels.h"
#include "mutants/ring_tour.h"

namespace attncheck {
namespace {

// A bias by distance, as of models without position embeddings: -|i - j| / 8 on global places.
at::Tensor distance_bias(const at::Tensor& q, int64_t first_query, int64_t keys,
                         int64_t first_key) {
  constexpr double kSlope = 0.125;
  const auto options = q.options();
  const at::Tensor i = at::arange(first_query, first_query + q.size(1), options).unsqueeze(-1);
  const at::Tensor j = at::arange(first_key, first_key + keys, options);
  return (i - j).abs().mul(-kSlope);
}

void leaves_a_position_bias_on(RingTour& tour) {
  tour.block = [right = tour.block, own_index = tour.call.ring_index](
                   const TourShards& own, const TourShards& keys, int owner) {
    BackendInputs block = right(own, keys, owner);
    const int64_t length = block.k.size(1);
    block.mask = distance_bias(block.q, own_index * block.q.size(1), length, owner * length);
    return block;
  };
}

// Hides the keys of a block past the number of its queries.
void cuts_keys_at_query_length(RingTour& tour) {
  tour.block = [right = tour.block](const TourShards& own, const TourShards& keys, int owner) {
    BackendInputs block = right(own, keys, owner);
    const int64_t queries = block.q.size(1), length = block.k.size(1);
    if (length > queries) block.mask = at::arange(length).lt(queries).unsqueeze(0);
    return block;
  };
}

// Rounded to 255 steps up to `largest`.
at::Tensor through_int8(const at::Tensor& x, const at::Tensor& largest) {
  const at::Tensor step = largest.clamp_min(1e-30).div(127);
  return at::round(x / step) * step;
}

// One scale for the whole tensor: every head's keys depend on every other's.
PassForward with_keys_in_int8(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return right(q, through_int8(k, k.abs().max()), v);
  };
}

// One scale for each token and head, as a cache keeps it.
PassForward with_values_in_int8(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return right(q, k, through_int8(v, v.abs().amax(-1, true)));
  };
}

// Keys less their mean, which softmax does not see; lse does, and is not corrected.
BackendInputs smoothed(BackendInputs block) {
  block.k = block.k - block.k.mean({1}, true);
  return block;
}

Backend smoothing_kernel() {
  Backend backend = three_axis_kernel();
  backend.name = "smoothing_kernel";
  backend.forward = [right = backend.forward](const BackendInputs& block) {
    return right(smoothed(block));
  };
  backend.backward = [right = backend.backward](BackendBackward call) {
    call.block = smoothed(call.block);
    return right(call);
  };
  return backend;
}

Implementation on_tour(const std::string& name, void (*change)(RingTour&)) {
  return implementation_of(name, touring_parent(change));
}

}  // namespace

std::vector<Mutant> house_invariance_mutants() {
  return {
      make_mutant({.name = "house_position_bias_left_on",
                   .source = "house",
                   .fault = "a bias by distance is added to scores of a model that has none",
                   .property = "key_order_does_not_matter",
                   .smallest = "mesh=1x1 q=1 kv=2 d=1"},
                  on_tour("leaves_a_position_bias_on", leaves_a_position_bias_on)),
      make_mutant({.name = "house_keys_in_int8",
                   .source = "house",
                   .fault = "k passes through int8, with one scale for all batches and heads",
                   .property = "batch_and_head_are_independent",
                   .smallest = "mesh=1x1 b=2 q=1 d=1"},
                  implementation_of("with_keys_in_int8",
                                    with_forward(unified_parent(), with_keys_in_int8))),
      make_mutant({.name = "house_values_in_int8",
                   .source = "house",
                   .fault = "v passes through int8, scaled by the largest value of each token",
                   .property = "output_is_linear_in_value",
                   .smallest = "mesh=1x1 q=1 d=2"},
                  implementation_of("with_values_in_int8",
                                    with_forward(unified_parent(), with_values_in_int8))),
      make_mutant({.name = "house_lse_of_smoothed_keys",
                   .source = "house",
                   .fault = "the mean of the keys is subtracted, and lse is not corrected for it",
                   .property = "shifting_keys_by_a_constant_vector_shifts_lse",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  on_backend(implementation_of("ring_of_smoothed_keys", ring_parent()),
                             smoothing_kernel())),
      make_mutant({.name = "house_keys_cut_at_query_length",
                   .source = "house",
                   .fault = "keys past the number of queries are not seen",
                   .property = "duplicated_keys_add_log_two_to_lse",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  on_tour("cuts_keys_at_query_length", cuts_keys_at_query_length)),
  };
}

}  // namespace attncheck
