#pragma once

#include "properties/property.h"

namespace attncheck {

// V = 1 at the keys of one rank makes out each query's attention mass by key shard. Wherever the
// reference's mass on another rank's shard exceeds its bound, the mass that came is above zero.
Property remote_keys_are_reached();

// Of a collective: each element of its output, on tagged input, is the tag of the place that its
// specification names, bit by bit. Of attention with selector data (scores so far apart that one
// key has all the weight), at the power of two that is nearest to the scale, so that scores are
// exact: out is exactly the selected row of V, and dv exactly the sum of the integer cotangents of
// the queries that select it.
Property tagged_integers_arrive_bitwise();

// With a loss that is the sum of what the ranks compute, sum over ranks of <A x, y> equals sum over
// ranks of <x, A* y>, exactly, as all values are integers; with cotangents on all ranks and on rank
// 0 alone. Where A x is as specified, A* y is compared with the specification's adjoint element by
// element too, since single sums can agree by chance.
Property collective_backward_is_its_adjoint();

}  // namespace attncheck
