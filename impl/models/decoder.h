#pragma once

#include "impl/models/recipe.h"

namespace attncheck {

// A small decoder of language: q token ids, sharded, are embedded; two blocks of causal attention
// with h query heads and hkv key and value heads, rotary positions, and a gated feed-forward part;
// logits, and the cross-entropy of token ids that are drawn as well.
Recipe decoder_recipe();

}  // namespace attncheck
