#pragma once

#include "impl/autograd/attention_function.h"
#include "impl/contract/implementation.h"
#include "impl/ring/ring_call.h"
#include "impl/ulysses/head_exchange.h"

namespace attncheck {

// The pass of one call: the exchanges of Ulysses around a ring's.
AttentionPass unified_pass(const AttentionOptions& options, const MeshGroups& groups);
// The same with a ring and with exchanges of one's own, in place of those of the next two.
AttentionPass unified_pass(AttentionPass ring, HeadTrades trades, const AttentionOptions& options,
                           const MeshGroups& groups);

// The ring of the pass: for the queries of the Ulysses group and the rank's share of the heads.
// Every rank of that group calls it, as it does unified_pass. The exchanges are group_trades.
RingCall ring_call_of_group(const AttentionOptions& options, const MeshGroups& groups);

// "unified": the exchange of Ulysses around a ring (USP). Any mesh: a ring rank has the tokens of
// its Ulysses group, whichever these are.
Implementation unified_implementation();

}  // namespace attncheck
