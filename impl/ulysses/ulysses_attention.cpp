#include "impl/ulysses/ulysses_attention.h"

#include <utility>

#include "impl/backends/attend.h"
#include "impl/collectives/kept_group.h"
#include "impl/layouts/strands.h"
#include "impl/support/limits.h"
#include "impl/ulysses/exchanged_pass.h"
#include "impl/ulysses/ordered_pass.h"

namespace attncheck {
namespace {

constexpr Limits kUlyssesLimits{.ring = false, .ulysses = true};

Attention ulysses_attention(at::Tensor q, at::Tensor k, at::Tensor v,
                            const AttentionOptions& options, const MeshGroups& groups) {
  check_call(kUlyssesLimits, q, k, v, options, groups);
  return differentiable_attention(q, k, v, ulysses_pass(options, groups));
}

}  // namespace

AttentionPass local_pass(const Backend* backend, double scale, std::optional<int64_t> diagonal) {
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    BlockAttention whole = attend(*backend, {q, k, v, {}, scale, diagonal});
    return AttentionForward{
        whole.out, whole.lse, {{q, k, v, whole.out, whole.lse}, {std::move(whole.aux)}}};
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    const auto& t = saved.tensors;
    return attend_backward(
        *backend,
        {{t[0], t[1], t[2], {}, scale, diagonal}, grad_out, grad_lse, t[3], t[4], saved.aux[0]});
  };
  return pass;
}

AttentionPass ulysses_pass(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass whole = local_pass(options.backend, options.scale, global_diagonal(options));
  return exchanged_pass(ordered_pass(std::move(whole), options, groups.mesh, groups.ring_index()),
                        head_trades(keep(groups.ulysses), group_lengths(options, groups)),
                        options.return_lse);
}

Implementation ulysses_implementation() {
  return {"ulysses",
          [](const Case& c, const Backend& backend) {
            return supports_case(kUlyssesLimits, c, backend);
          },
          ulysses_attention, Method::ulysses};
}

}  // namespace attncheck
