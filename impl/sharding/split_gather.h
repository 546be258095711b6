#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/kept_group.h"

namespace attncheck {

// The length of each rank's shard along the axis that is split, in the order of the ranks: known to
// all of them. Any lengths, 0 as well.
using ShardLengths = std::vector<int64_t>;

int64_t total(const ShardLengths& lengths);

// What the gradient of a tensor is that every rank had as a whole and took its shard of.
//   own    the rank's part, zero elsewhere: the sum over the ranks is the gradient of the whole, as
//          it is of every parameter and replicated tensor (the local loss convention of
//          impl/contract/collective.h). Nothing is sent.
//   whole  the whole gradient on every rank, gathered: for a tensor that every rank optimises by
//          itself. Not to be summed over the ranks afterwards.
enum class SplitGradient { own, whole };

// This rank's shard of x, which has total(lengths) along `axis`. Throws, before anything is sent,
// for an axis that x lacks and for a length that does not fit.
at::Tensor split_axis(const at::Tensor& x, const KeptGroup& group, int64_t axis,
                      const ShardLengths& lengths, SplitGradient gradient = SplitGradient::own);

// The ranks' shards joined along `axis`: the same on every rank. Backward, for any loss: the sum
// over the ranks of their gradients of this rank's shard. Throws as split_axis does.
at::Tensor gather_axis(const at::Tensor& shard, const KeptGroup& group, int64_t axis,
                       const ShardLengths& lengths);

// The sum over the ranks of their x, without autograd, added in the order of the ranks: the same
// bits on every rank and transport.
at::Tensor sum_over_ranks(const at::Tensor& x, const KeptGroup& group);

}  // namespace attncheck
