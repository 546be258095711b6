#pragma once

#include "properties/property.h"

namespace attncheck {

// Two calls in the same groups, by turns of other sizes, scale and causality, and of the same sizes
// with one option at most that differs (what is kept by sizes would be taken for the other's):
// forward A, forward B, backward A, backward B give what each gives alone, bit by bit where the
// backend is deterministic, and out of B is the reference's; an error that neither has alone is a
// failure.
Property two_configurations_do_not_interfere();

// A call in groups where a call of a larger shape went before, and one where a smaller one did,
// gives what it gives in groups that nobody used, bit by bit where the backend is deterministic; an
// error that it does not have alone is a failure. Ranks are fresh where the transport has them at
// hand, so that a replay sees what the run saw.
Property changing_shapes_in_one_group_works();

// The mesh at the odd ranks of a world that is twice as large gives what it gives as the whole
// world, bit by bit where the backend is deterministic, and no error that it does not have there.
Property subgroups_of_a_larger_world_work();

}  // namespace attncheck
