#pragma once

#include <vector>

#include "impl/contract/model.h"

namespace attncheck {

// "flux_like", "wan_like", "decoder": as subjects `impl=model:NAME`.
std::vector<Model> built_in_models();

}  // namespace attncheck
