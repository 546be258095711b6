#include "impl/unified/unified_attention.h"

#include "impl/collectives/kept_group.h"
#include "impl/ring/ring_attention.h"
#include "impl/support/limits.h"
#include "impl/ulysses/exchanged_pass.h"

namespace attncheck {
namespace {

constexpr Limits kUnifiedLimits{.ring = true, .ulysses = true};

Attention unified_attention(at::Tensor q, at::Tensor k, at::Tensor v,
                            const AttentionOptions& options, const MeshGroups& groups) {
  check_call(kUnifiedLimits, q, k, v, options, groups);
  return differentiable_attention(q, k, v,
                                  exchanged_pass(ring_pass(ring_call(options, groups)),
                                                 keep(groups.ulysses), options.return_lse));
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
