#include "impl/ulysses/joint_trades.h"

#include <ATen/ops/zeros.h>

#include "impl/collectives/exchange.h"
#include "impl/layouts/joint_tokens.h"

namespace attncheck {
namespace {

constexpr int64_t kHeadAxis = 2;  // axis of (B, S, H, ...)

using Part = std::function<at::Tensor(const at::Tensor& x)>;

// `trade` for the shards, `part` for the joint tokens.
HeadTrades::Trade both(HeadTrades::Trade trade, Part part, const Joint& joint) {
  return [=](const std::vector<at::Tensor>& xs) {
    std::vector<at::Tensor> shards, parts;
    for (const at::Tensor& x : xs) {
      shards.push_back(sharded_part(x, joint));
      parts.push_back(part(joint_part(x, joint)));
    }
    std::vector<at::Tensor> results = trade(shards);
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = with_joint_part(results[i], parts[i], joint);
    }
    return results;
  };
}

int64_t first_head(int64_t own_heads, c10d::ProcessGroup& group) {
  return group_rank(group) * own_heads;
}

at::Tensor own_heads(const at::Tensor& x, c10d::ProcessGroup& group) {
  const int64_t heads = x.size(kHeadAxis) / group_size(group);
  return x.narrow(kHeadAxis, first_head(heads, group), heads);
}

at::Tensor zeros_elsewhere(const at::Tensor& own, c10d::ProcessGroup& group) {
  std::vector<int64_t> sizes = own.sizes().vec();
  sizes[kHeadAxis] *= group_size(group);
  at::Tensor all = at::zeros(sizes, own.options());
  all.narrow(kHeadAxis, first_head(own.size(kHeadAxis), group), own.size(kHeadAxis)).copy_(own);
  return all;
}

}  // namespace

HeadTrades joint_trades(const HeadTrades& trades, const KeptGroup& group, const Joint& joint) {
  if (joint.tokens == 0) return trades;
  const Part own = [group](const at::Tensor& x) { return own_heads(x, *group); };
  const Part gathered = [group](const at::Tensor& x) {
    return all_gather(x.contiguous(), *group, kHeadAxis);
  };
  const Part summed = [group](const at::Tensor& x) {
    return reduce_scatter(x.contiguous(), *group, kHeadAxis);
  };
  const Part widened = [group](const at::Tensor& x) { return zeros_elsewhere(x, *group); };
  return {both(trades.to_heads, own, joint), both(trades.to_sequence, gathered, joint),
          both(trades.gradients_to_heads, summed, joint),
          both(trades.gradients_to_sequence, widened, joint)};
}

HeadTrades group_trades(const AttentionOptions& options, const MeshGroups& groups) {
  const KeptGroup group = keep(groups.ulysses);
  return joint_trades(head_trades(group, group_lengths(options, groups)), group, options.joint);
}

}  // namespace attncheck
