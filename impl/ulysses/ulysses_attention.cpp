#include "impl/ulysses/ulysses_attention.h"

#include <utility>

#include "impl/backends/attend.h"
#include "impl/collectives/kept_group.h"
#include "impl/layouts/block_masks.h"
#include "impl/layouts/strands.h"
#include "impl/layouts/token_order.h"
#include "impl/support/limits.h"
#include "impl/ulysses/exchanged_pass.h"
#include "impl/ulysses/joint_trades.h"
#include "impl/ulysses/mask_exchange.h"
#include "impl/ulysses/ordered_pass.h"
#include "impl/ulysses/slotted_pass.h"

namespace attncheck {
namespace {

constexpr Limits kUlyssesLimits{.ring = false, .ulysses = true, .any_heads = true};

Attention ulysses_attention(at::Tensor q, at::Tensor k, at::Tensor v,
                            const AttentionOptions& options, const MeshGroups& groups) {
  check_call(kUlyssesLimits, q, k, v, options, groups);
  const HeadSlots slots(q.size(2), k.size(2), groups.mesh.ulysses);
  const AttentionOptions slotted = with_mask_of_slots(with_checked_mask(options, q), slots);
  return differentiable_attention(q, k, v, slotted_pass(ulysses_pass(slotted, groups), slots));
}

// The keys of the group, in the order in which the pass inside attends to them.
std::vector<int64_t> group_keys(const AttentionOptions& options, const MeshGroups& groups) {
  const Strands held = group_tokens(token_split(options, groups.mesh), options.kv_len, groups.mesh,
                                    groups.ring_index());
  const bool as_held = visibility_of(options).everything();
  return with_joint_keys(positions_of(as_held ? held : in_order(held).strands), options);
}

}  // namespace

AttentionPass local_pass(const Backend* backend, double scale, std::optional<int64_t> diagonal,
                         const at::Tensor& mask) {
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    BlockAttention whole = attend(*backend, {q, k, v, mask, scale, diagonal});
    return AttentionForward{
        whole.out, whole.lse, {{q, k, v, whole.out, whole.lse}, {std::move(whole.aux)}}};
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    const auto& t = saved.tensors;
    return attend_backward(
        *backend,
        {{t[0], t[1], t[2], mask, scale, diagonal}, grad_out, grad_lse, t[3], t[4], saved.aux[0]});
  };
  return pass;
}

AttentionPass whole_pass(const AttentionOptions& options) {
  const Visibility visibility = visibility_of(options);
  return local_pass(options.backend, options.scale, visibility.band.upper,
                    mask_of_whole(visibility, options.q_len, options.kv_len, options.mask));
}

AttentionPass ulysses_pass(const AttentionOptions& options, const MeshGroups& groups) {
  return ulysses_pass(whole_pass(options_of_group(options, groups)), group_trades(options, groups),
                      options, groups);
}

AttentionPass ulysses_pass(AttentionPass whole, HeadTrades trades, const AttentionOptions& options,
                           const MeshGroups& groups) {
  return exchanged_pass(ordered_pass(std::move(whole), options, groups.mesh, groups.ring_index()),
                        std::move(trades), options.return_lse);
}

AttentionOptions options_of_group(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionOptions grouped = with_mask_of_group(options, groups);
  grouped.mask = mask_columns(grouped.mask, group_keys(options, groups));
  return grouped;
}

Implementation ulysses_implementation() {
  return {"ulysses",
          [](const Case& c, const Backend& backend) {
            return supports_case(kUlyssesLimits, c, backend);
          },
          ulysses_attention, Method::ulysses};
}

}  // namespace attncheck
