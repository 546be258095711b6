#pragma once

#include <vector>

#include "impl/contract/mutant.h"

namespace attncheck {

// C14: Ulysses attention whose repeated KV heads stand in the wrong order.
std::vector<Mutant> head_order_mutants();

}  // namespace attncheck
