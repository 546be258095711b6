#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

Mutant pads_keys_to_equal_shards();

}  // namespace attncheck
