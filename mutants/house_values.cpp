#include "mutants/house_values.h"

#include <array>
#include <atomic>
#include <limits>

#include <ATen/ops/mul.h>

#include "impl/merges/merge.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

// Merged with itself: out stays, the log-sum-exp grows by ln 2.
PassForward counts_twice(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    result.lse = merge({result.out, result.lse}, {result.out, result.lse}).lse;
    return result;
  };
}

PassBackward drops_the_gradient_of_lse(const PassBackward& right) {
  return [right](const AttentionSaved& saved, const at::Tensor& grad_out, const at::Tensor&) {
    return right(saved, grad_out, at::Tensor());
  };
}

AttentionPass scaled_by_ring_degree(AttentionOptions options, const MeshGroups& groups) {
  options.scale /= groups.mesh.ring;
  return unified_parent().pass(options, groups);
}

// Ranks may be threads of one process, so that each counts its own calls.
int64_t calls_before(int rank) {
  static std::array<std::atomic<int64_t>, 4096> calls{};
  return calls.at(rank)++;
}

// A few units in the last place for every call before.
double call_factor(at::ScalarType dtype, int64_t calls) {
  const double ulp = dtype == at::kDouble ? std::numeric_limits<double>::epsilon()
                                          : std::numeric_limits<float>::epsilon();
  return 1.0 + 4.0 * ulp * static_cast<double>(calls);
}

AttentionPass counted_call(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass pass = ring_parent().pass(options, groups);
  pass.forward = [right = pass.forward, rank = groups.rank](
                     const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    result.out = at::mul(result.out, call_factor(q.scalar_type(), calls_before(rank)));
    return result;
  };
  return pass;
}

}  // namespace

std::vector<Mutant> house_value_mutants() {
  return {
      make_mutant({.name = "house_every_pair_counts_twice",
                   .source = "house",
                   .fault = "every pair counts twice: lse + ln 2, out as it should be",
                   .property = "every_query_key_pair_counts_once",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  implementation_of("counts_twice", with_forward(ring_parent(), counts_twice))),
      make_mutant({.name = "house_lse_gradient_dropped",
                   .source = "house",
                   .fault = "backward ignores the cotangent of lse, which requires grad",
                   .property = "lse_gradient_flows_or_is_refused",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  implementation_of("drops_the_gradient_of_lse",
                                    with_backward(ring_parent(), drops_the_gradient_of_lse))),
      make_mutant({.name = "house_scale_by_ring_degree",
                   .source = "house",
                   .fault = "the scale is divided by the ring degree",
                   .property = "mesh_does_not_matter",
                   .smallest = "mesh=2x1 q=2 d=1"},
                  implementation_of("scaled_by_ring_degree",
                                    {unified_parent().limits, scaled_by_ring_degree})),
      make_mutant({.name = "house_call_counter_leaks",
                   .source = "house",
                   .fault = "out grows by some units in the last place with every call",
                   .property = "same_case_twice_is_bitwise_equal",
                   .smallest = "mesh=1x1 q=1 d=1"},
                  implementation_of("counted_call", {ring_parent().limits, counted_call})),
  };
}

}  // namespace attncheck
