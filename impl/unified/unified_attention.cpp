#include "impl/unified/unified_attention.h"

#include <utility>

#include "impl/collectives/kept_group.h"
#include "impl/ring/ring_attention.h"
#include "impl/support/limits.h"
#include "impl/ulysses/exchanged_pass.h"
#include "impl/ulysses/ordered_pass.h"

namespace attncheck {
namespace {

constexpr Limits kUnifiedLimits{.ring = true, .ulysses = true};

Attention unified_attention(at::Tensor q, at::Tensor k, at::Tensor v,
                            const AttentionOptions& options, const MeshGroups& groups) {
  check_call(kUnifiedLimits, q, k, v, options, groups);
  return differentiable_attention(q, k, v, unified_pass(options, groups));
}

}  // namespace

AttentionPass unified_pass(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass ring = ring_pass(ring_call(options, groups));
  return exchanged_pass(ordered_pass(std::move(ring), options, groups.mesh, groups.ring_index()),
                        head_trades(keep(groups.ulysses), group_lengths(options, groups)),
                        options.return_lse);
}

Implementation unified_implementation() {
  return {"unified",
          [](const Case& c, const Backend& backend) {
            return supports_case(kUnifiedLimits, c, backend);
          },
          unified_attention, Method::unified};
}

}  // namespace attncheck
