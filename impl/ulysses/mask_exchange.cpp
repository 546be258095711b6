#include "impl/ulysses/mask_exchange.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include "impl/collectives/exchange.h"
#include "impl/layouts/joint_tokens.h"
#include "impl/ulysses/head_exchange.h"
#include "impl/ulysses/joint_trades.h"
#include "impl/ulysses/ordered_pass.h"

namespace attncheck {
namespace {

constexpr int64_t kQueries = 2;  // axis of (B, H, Sq, Skv)

bool by_head(const AttentionOptions& options) {
  return options.mask.defined() && options.mask_axes == MaskAxes::bhqk;
}

bool by_query(const AttentionOptions& options) {
  return by_head(options) || (options.mask.defined() && options.mask_axes == MaskAxes::b1qk);
}

// Not every transport carries booleans.
at::Tensor sendable(const at::Tensor& mask) {
  return mask.scalar_type() == at::kBool ? mask.to(at::kByte) : mask;
}

// Masks by query: (B, Sq, H|1, Skv).

// The rank's queries and all heads -> the group's queries and the rank's heads.
at::Tensor traded(const at::Tensor& rows, const AttentionOptions& options,
                  const MeshGroups& groups) {
  return group_trades(options, groups).to_heads({rows})[0];
}

// The rank's queries -> the group's.
at::Tensor gathered(const at::Tensor& rows, const AttentionOptions& options,
                    const MeshGroups& groups) {
  const at::Tensor own = sharded_part(rows, options.joint).contiguous();
  const Lengths tokens = group_lengths(options, groups).q;
  const at::Tensor all =
      at::cat(post_all_gather(own, *groups.ulysses, /*dim=*/1, tokens).wait(), 1);
  return with_joint_part(all, joint_part(rows, options.joint), options.joint);
}

}  // namespace

AttentionOptions with_mask_of_slots(const AttentionOptions& options, const HeadSlots& slots) {
  if (!by_head(options)) return options;
  AttentionOptions slotted = options;
  slotted.mask = slots.queries(options.mask.transpose(1, 2)).transpose(1, 2);
  return slotted;
}

AttentionOptions with_mask_of_group(const AttentionOptions& options, const MeshGroups& groups) {
  if (!by_query(options)) return options;
  const at::Tensor rows = sendable(options.mask).transpose(1, kQueries);
  at::Tensor mask =
      by_head(options) ? traded(rows, options, groups) : gathered(rows, options, groups);
  mask = mask.transpose(1, kQueries);
  const std::vector<int64_t> places =
      places_in_order(options, options.q_len, groups.mesh, groups.ring_index());
  if (!places.empty()) {
    mask = mask.index_select(kQueries, at::tensor(places, at::kLong).to(mask.device()));
  }
  AttentionOptions grouped = options;
  grouped.mask = mask.to(options.mask.scalar_type());
  return grouped;
}

}  // namespace attncheck
