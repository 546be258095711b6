#pragma once

#include "properties/property.h"

namespace attncheck {

// out, lse, dq, dk and dv are the same on every other factorisation of the world that the subject
// supports, and on one rank, within the sum of both runs' bounds.
Property mesh_does_not_matter();

// Two runs of one case give the same bits, where the backend says that it is deterministic.
Property same_case_twice_is_bitwise_equal();

// Whatever fresh memory holds, the bits are the same, and no NaN comes that the plain run has not.
// Two runs: memory of 0xFF bytes (NaN in every float type) and of 0x5A bytes (large numbers).
Property nothing_uninitialised_is_read();

}  // namespace attncheck
