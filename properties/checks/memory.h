#pragma once

#include "properties/property.h"

namespace attncheck {

// q, k, v and the cotangents hold the same bits after the forward pass, and after the backward
// pass, as they held before.
Property inputs_are_not_modified();

// Inputs and cotangents that are views (at a storage offset, permuted, or with stride 0) give the
// result of contiguous copies of them, within the sum of both bounds; and an error of the views
// alone is a failure.
Property views_and_strides_do_not_matter();

// The CPU memory of a rank, beside its inputs, stays at all times within what the backend alone
// takes for one block plus the blocks and sums that the declared method keeps (allowance() in the
// .cpp): by send/receive two blocks whatever the ring degree, by all-gather those of all ranks.
Property peak_memory_stays_within_shards();

}  // namespace attncheck
