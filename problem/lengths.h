#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attncheck {

// "4,2,7".
std::string lengths_text(const std::vector<int64_t>& lengths);

}  // namespace attncheck
