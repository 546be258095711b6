#include "impl/ulysses/mask_exchange.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include "impl/collectives/exchange.h"
#include "impl/ulysses/head_exchange.h"
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

// (B, H, Sq, Skv) of the rank's queries -> (B, H/U, Sq of the group, Skv).
at::Tensor traded(const at::Tensor& mask, c10d::ProcessGroup& group, const Lengths& tokens) {
  return to_heads({mask.transpose(1, 2)}, group, {tokens})[0].transpose(1, 2);
}

// (B, 1, Sq, Skv) of the rank's queries -> (B, 1, Sq of the group, Skv).
at::Tensor gathered(const at::Tensor& mask, c10d::ProcessGroup& group, const Lengths& tokens) {
  return at::cat(post_all_gather(mask.contiguous(), group, kQueries, tokens).wait(), kQueries);
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
  const at::Tensor own = sendable(options.mask);
  const Lengths tokens = group_lengths(options, groups).q;
  at::Tensor mask = by_head(options) ? traded(own, *groups.ulysses, tokens)
                                     : gathered(own, *groups.ulysses, tokens);
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
