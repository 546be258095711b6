#include "impl/unified/unified_attention.h"

#include <utility>

#include "impl/collectives/kept_group.h"
#include "impl/layouts/block_masks.h"
#include "impl/ring/ring_attention.h"
#include "impl/support/limits.h"
#include "impl/ulysses/joint_trades.h"
#include "impl/ulysses/mask_exchange.h"
#include "impl/ulysses/slotted_pass.h"
#include "impl/ulysses/ulysses_attention.h"

namespace attncheck {
namespace {

constexpr Limits kUnifiedLimits{.ring = true, .ulysses = true, .any_heads = true};

Attention unified_attention(at::Tensor q, at::Tensor k, at::Tensor v,
                            const AttentionOptions& options, const MeshGroups& groups) {
  check_call(kUnifiedLimits, q, k, v, options, groups);
  const HeadSlots slots(q.size(2), k.size(2), groups.mesh.ulysses);
  const AttentionOptions slotted = with_mask_of_slots(with_checked_mask(options, q), slots);
  return differentiable_attention(q, k, v, slotted_pass(unified_pass(slotted, groups), slots));
}

}  // namespace

AttentionPass unified_pass(const AttentionOptions& options, const MeshGroups& groups) {
  return unified_pass(ring_pass(ring_call_of_group(options, groups)), group_trades(options, groups),
                      options, groups);
}

AttentionPass unified_pass(AttentionPass ring, HeadTrades trades, const AttentionOptions& options,
                           const MeshGroups& groups) {
  return ulysses_pass(std::move(ring), std::move(trades), options, groups);
}

RingCall ring_call_of_group(const AttentionOptions& options, const MeshGroups& groups) {
  return ring_call(with_mask_of_group(options, groups), groups);
}

Implementation unified_implementation() {
  return {"unified",
          [](const Case& c, const Backend& backend) {
            return supports_case(kUnifiedLimits, c, backend);
          },
          unified_attention, Method::unified};
}

}  // namespace attncheck
