#include "harness/bench/spread.h"

#include <algorithm>

namespace attncheck::bench {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t last = values.size() - 1;
  return {(values[last / 2] + values[(last + 1) / 2]) / 2, values[last / 4],
          values[last - last / 4], static_cast<int>(values.size())};
}

}  // namespace attncheck::bench
