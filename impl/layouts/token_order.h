#pragma once

#include <cstdint>
#include <vector>

#include "impl/layouts/strands.h"

namespace attncheck {

// Tokens in the order of the sequence, as far as strands of one stride say it.
struct TokenOrder {
  Strands strands;  // by offset, none of them empty
  // Where each token stands in the order that they came in; empty: where it stood.
  std::vector<int64_t> places;
};

// As few strands as these make, which have one stride: those that continue each other are joined,
// and interleaved ones are if together they leave out no token of theirs. Zigzag shards of
// neighbours join into two; every rank's stripe becomes the sequence.
TokenOrder in_order(const Strands& held);

}  // namespace attncheck
