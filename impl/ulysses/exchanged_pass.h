#pragma once

#include "impl/autograd/attention_function.h"
#include "impl/collectives/kept_group.h"
#include "impl/ulysses/head_exchange.h"

namespace attncheck {

// `inner`, a pass over a group's whole sequence and a share of the heads, between the exchange of
// q, k, v to heads and of out and lse back. Its backward exchanges the incoming gradients and the
// resulting ones; nothing is exchanged twice, since what inner saves lies in heads already. The LSE
// and its gradient are exchanged only if return_lse.
AttentionPass exchanged_pass(AttentionPass inner, KeptGroup group, bool return_lse);
// The same with exchanges of one's own.
AttentionPass exchanged_pass(AttentionPass inner, HeadTrades trades, bool return_lse);

}  // namespace attncheck
