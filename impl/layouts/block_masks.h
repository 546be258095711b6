#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/layouts/blocks.h"

namespace attncheck {

// The options with their mask as a tensor of four axes, (B, H|1, Sq|1, Skv). Throws unless its
// shape is that of its axes, for the rank's queries q (B, Sq, H, D).
AttentionOptions with_checked_mask(const AttentionOptions& options, const at::Tensor& q);

// The tokens of strands, in their order.
std::vector<int64_t> positions_of(const Strands& strands);

// Places among all keys, joint ones with them, from those among the keys that have a shard.
std::vector<int64_t> with_joint_keys(std::vector<int64_t> keys, const AttentionOptions& options);

// Columns of a mask (B|1, H|1, Sq|1, Skv), in this order; undefined without a mask.
at::Tensor mask_columns(const at::Tensor& mask, const std::vector<int64_t>& keys);

// What a kernel that knows a diagonal is told of a block beside it: the block's part of `mask`
// (B|1, H|1, Sq|1, keys of a shard), if there is one, and no key below `lower`. Undefined where
// nothing hides a key.
at::Tensor mask_of_block(const Block& block, const at::Tensor& mask);

// The same for whole sequences in their order, Sq and Skv tokens: what the window hides from below
// and what documents hide, and `mask` (B|1, H|1, Sq|1, Skv), if there is one.
at::Tensor mask_of_whole(const Visibility& visibility, int64_t q_len, int64_t kv_len,
                         const at::Tensor& mask);

}  // namespace attncheck
