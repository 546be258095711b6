#pragma once

#include "impl/contract/implementation.h"
#include "impl/ulysses/head_exchange.h"

namespace attncheck {

// The exchanges of Ulysses where every rank holds joint tokens before or behind its shard. These
// stay: of q, k and v a rank takes its heads; of out (and lse) the heads of all ranks are gathered.
// The gradients of out are summed over the ranks, and each keeps those of its heads; those of q, k
// and v are zero but for them: the sum over the ranks is the gradient. `trades` itself where there
// are no joint tokens.
HeadTrades joint_trades(const HeadTrades& trades, const KeptGroup& group, const Joint& joint);

// The exchanges of a call: of shards of any length, and of joint tokens.
HeadTrades group_trades(const AttentionOptions& options, const MeshGroups& groups);

}  // namespace attncheck
