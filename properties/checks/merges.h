#pragma once

#include "properties/property.h"

namespace attncheck {

// Of a merge: every order and bracketing of the case's partials, empty rows and gaps of 1000 among
// them, equals the dense result (softmax of all lse over all outs) within its bound; so does the
// result merged with (0, -inf), from either side. The bound is that of attention over as many keys;
// where outs are averaged in a dtype narrower than that of lse, with three roundings of each merge
// (weight, product, sum) on top.
Property merge_is_associative();

}  // namespace attncheck
