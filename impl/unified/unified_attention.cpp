#include "impl/unified/unified_attention.h"

#include "impl/collectives/kept_group.h"
#include "impl/ring/ring_attention.h"
#include "impl/support/limits.h"
#include "impl/ulysses/exchanged_pass.h"
#include "impl/ulysses/slotted_pass.h"

namespace attncheck {
namespace {

constexpr Limits kUnifiedLimits{.ring = true, .ulysses = true, .any_heads = true};

Attention unified_attention(at::Tensor q, at::Tensor k, at::Tensor v,
                            const AttentionOptions& options, const MeshGroups& groups) {
  check_call(kUnifiedLimits, q, k, v, options, groups);
  AttentionPass exchanged = exchanged_pass(ring_pass(ring_call(options, groups)),
                                           keep(groups.ulysses), options.return_lse);
  const HeadSlots slots(q.size(2), k.size(2), groups.mesh.ulysses);
  return differentiable_attention(q, k, v, slotted_pass(std::move(exchanged), slots));
}

}  // namespace

Implementation unified_implementation() {
  return {"unified",
          [](const Case& c, const Backend& backend) {
            return supports_case(kUnifiedLimits, c, backend);
          },
          unified_attention, Method::unified};
}

}  // namespace attncheck
