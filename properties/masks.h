#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "properties/request.h"

namespace attncheck {

// The mask of a request for queries at these positions, and all keys in the order of the sequence:
// bool (true: visible) or additive in the case's dtype, of the axes that the case says. Keys that
// an edit moves or repeats take their columns along. Undefined where the case has no mask.
//
// It hides a run of four keys in four, a query in eight, and of the rest a pair in four: there are
// queries without keys, and shards that nobody sees. What an additive mask does not hide it moves
// by a normal number. The hash of an element is that of its (b, h, query, key): a smaller case
// hides the same.
at::Tensor mask_of(const Request& request, const std::vector<int64_t>& queries);

// The same as a tensor of four axes, broadcastable to (B, H, Sq, Skv).
at::Tensor of_four_axes(const at::Tensor& mask);

// Whether the case's mask, if it has one, lets query `i` of batch `b` and head `h` see key `j`.
bool mask_shows(const Case& c, int64_t b, int64_t h, int64_t i, int64_t j);

}  // namespace attncheck
