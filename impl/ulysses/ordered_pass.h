#pragma once

#include "impl/autograd/attention_function.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// The tokens that a Ulysses group holds of `len`, in the order in which a pass attends to them:
// where each stands in the order of the ranks. Empty where none moves, and where places hide no key
// from a query: then no order says anything.
std::vector<int64_t> places_in_order(const AttentionOptions& options, int64_t len, const Mesh& mesh,
                                     int ring_index);

// `inner`, which wants the tokens of a Ulysses group in that order, between the two reorderings:
// from the order of the ranks, and back. It is `inner` itself where no token moves.
AttentionPass ordered_pass(AttentionPass inner, const AttentionOptions& options, const Mesh& mesh,
                           int ring_index);

}  // namespace attncheck
