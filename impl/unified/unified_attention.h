#pragma once

#include "impl/contract/implementation.h"

namespace attncheck {

// "unified": the exchange of Ulysses around a ring (USP). Any mesh of order ru: the ranks of a
// Ulysses group hold neighbouring shards, so that each ring rank has a consecutive part of the
// sequence.
Implementation unified_implementation();

}  // namespace attncheck
