#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace attncheck {

// The median of counts (of an even number of them the lower one), where nullopt is more than any
// other; nullopt when that is the median, and when there are none.
std::optional<int64_t> lower_median(std::vector<std::optional<int64_t>> counts);

}  // namespace attncheck
