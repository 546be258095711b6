#include "harness/bench/spread.h"

#include <algorithm>

namespace attncheck::bench {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75), static_cast<int>(values.size())};
}

}  // namespace attncheck::bench
