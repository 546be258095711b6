#pragma once

#include "impl/models/recipe.h"

namespace attncheck {

// A small transformer in the manner of Wan: two blocks of attention among the q tokens of the
// sequence, which is sharded, then attention to kv text tokens, which every rank has, then a
// feed-forward part. The tokens are embedded before they are split, at the first block; one
// modulation from a conditioning vector serves all blocks, each with a table of its own on top.
Recipe wan_like_recipe();

}  // namespace attncheck
