#pragma once

#include "impl/contract/implementation.h"
#include "problem/case.h"

namespace attncheck {

// What an implementation is told of a case, on that backend, which outlives the call. No mask.
AttentionOptions attention_options(const Case& c, const Backend& backend);

}  // namespace attncheck
