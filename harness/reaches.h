#pragma once

#include <string>

#include "harness/registry.h"

namespace attncheck {

// Whether the case's backend, if its subject has one, runs on tensors of that device, "cpu" or
// "cuda".
Support reaches(const Registry& registry, const Case& c, const std::string& device);

}  // namespace attncheck
