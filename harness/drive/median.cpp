#include "harness/drive/median.h"

#include <algorithm>

namespace attncheck {

std::optional<int64_t> lower_median(std::vector<std::optional<int64_t>> counts) {
  if (counts.empty()) return std::nullopt;
  const auto middle = counts.begin() + (static_cast<int64_t>(counts.size()) - 1) / 2;
  const auto is_less = [](const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
    return a && (!b || *a < *b);
  };
  std::nth_element(counts.begin(), middle, counts.end(), is_less);
  return *middle;
}

}  // namespace attncheck
