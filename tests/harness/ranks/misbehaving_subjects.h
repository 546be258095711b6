#pragma once

#include <vector>

#include "impl/contract/implementation.h"

namespace attncheck {

// Ten rings that misbehave, each in one way, on rank 1 where there are at least two keys:
// ring_that_throws, _segfaults, _aborts, _exits (with status 0), _loops (for ever), _hoards
// (memory, without end), _reduces_once_more (than the other ranks); ring_of_wrong_shape,
// ring_of_wrong_dtype and ring_without_out. And ring_that_leaves_threads and _processes: one more
// by each call.
std::vector<Implementation> misbehaving_subjects();

}  // namespace attncheck
