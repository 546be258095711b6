#pragma once

#include "impl/autograd/attention_function.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// `inner`, which wants the tokens of a Ulysses group in the order that `in_order` gives them,
// between the two reorderings: from the order of the ranks, and back. It is `inner` itself where no
// token moves, and where not causal: then no order says anything.
AttentionPass ordered_pass(AttentionPass inner, const AttentionOptions& options, const Mesh& mesh,
                           int ring_index);

}  // namespace attncheck
