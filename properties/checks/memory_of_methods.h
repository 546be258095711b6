#pragma once

#include <cstdint>

#include "impl/contract/method.h"
#include "problem/case.h"

namespace attncheck {

// What one call of the kernel is given on the mesh of a case: the tokens of a Ulysses group, its
// share of the heads; all keys where these are gathered. The longest shards count for all.
Problem block_of_method(const Case& c, Method method);

// Bytes that a rank may hold beside the kernel's own work on one block, by docs/exchanges.md: keys
// and their gradients, four of the queries (a merge's inputs, its result, one to spare), what is
// exchanged, masks, orders.
int64_t bytes_of_method(const Case& c, Method method);

}  // namespace attncheck
