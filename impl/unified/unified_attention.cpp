#include "impl/unified/unified_attention.h"

#include "impl/collectives/kept_group.h"
#include "impl/ring/ring_attention.h"
#include "impl/support/limits.h"
#include "impl/ulysses/exchanged_pass.h"

namespace attncheck {
namespace {

constexpr Limits kLimits{.ring = true, .ulysses = true};

Attention attention(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionOptions& options,
                    const MeshGroups& groups) {
  check_call(kLimits, q, k, v, options, groups);
  return differentiable_attention(q, k, v,
                                  exchanged_pass(ring_pass(ring_call(options, groups)),
                                                 keep(groups.ulysses), options.return_lse));
}

}  // namespace

Implementation unified_implementation() {
  return {"unified",
          [](const Case& c, const Backend& backend) { return supports_case(kLimits, c, backend); },
          attention};
}

}  // namespace attncheck
