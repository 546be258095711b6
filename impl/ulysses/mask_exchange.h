#pragma once

#include "impl/contract/implementation.h"
#include "impl/layouts/head_slots.h"

namespace attncheck {

// A mask of four axes, (B, H|1, Sq|1, Skv), on its way through the exchange of Ulysses. It gets to
// where its queries and heads go; its keys are all there already.

// The options with a mask of as many heads as there are slots; the added ones see nothing.
AttentionOptions with_mask_of_slots(const AttentionOptions& options, const HeadSlots& slots);

// The options with the mask of the group's queries, in the order in which the pass inside attends
// to them (ordered_pass.h), and of the rank's share of the heads. Where the mask has an axis of
// queries, every rank of the group calls it, and sends its own.
AttentionOptions with_mask_of_group(const AttentionOptions& options, const MeshGroups& groups);

}  // namespace attncheck
