#pragma once

#include "properties/property.h"

namespace attncheck {

// A model on a mesh gives what it gives on one rank: the gathered output on every rank, the sum of
// the ranks' losses, and every parameter's gradient on every rank, after the sum over the ranks.
// Compared with the single-rank run in float64, within the bound of model_runs.h. The evidence
// names the parameter and says what share of the expected gradient came: 1/W is an average where a
// sum was due, W a sum of what was a sum already.
Property model_matches_single_rank();

// What reaches the modules of a model without being a shard (parameters, conditioning, text, and
// inputs before they are split) has the same bits on every rank.
Property replicated_inputs_agree_on_all_ranks();

}  // namespace attncheck
