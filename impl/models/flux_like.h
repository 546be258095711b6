#pragma once

#include "impl/models/recipe.h"

namespace attncheck {

// A small transformer in the manner of FLUX: q image tokens and kv text tokens, both sharded, in a
// joint attention whose order does not matter. One block with a stream of its own for either kind
// (projections, norms, feed-forward), then one with a single stream; rotary positions; every block
// is modulated from a conditioning vector that all ranks have. The output is that of the image
// tokens.
Recipe flux_like_recipe();

}  // namespace attncheck
