#pragma once

#include "impl/autograd/attention_function.h"
#include "impl/layouts/head_slots.h"

namespace attncheck {

// `inner`, a pass that takes a multiple of `degree` heads of each kind, for heads of any number.
// It is `inner` itself where the slots add nothing.
AttentionPass slotted_pass(AttentionPass inner, HeadSlots slots);

}  // namespace attncheck
