#pragma once

#include <cstdint>
#include <vector>

#include "properties/request.h"

namespace attncheck {

// The lengths of the blocks that a request cuts its keys into, in order: as many as it asks for, of
// one key at least, drawn from the case's seed; half of them have one key. All keys are one block
// where it asks for none. Throws c10::Error when there are fewer keys than blocks.
std::vector<int64_t> key_block_lengths(const Request& request);

// From 2 to 8 blocks, or as many as there are keys; drawn from the case's seed.
int drawn_key_blocks(const Case& c);

}  // namespace attncheck
