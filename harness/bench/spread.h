#pragma once

#include <vector>

namespace attncheck::bench {

// What was measured again and again in turn: of all repetitions the median, and what a quarter
// of them stays below and above.
struct Spread {
  double median = 0, low = 0, high = 0;
  int repetitions = 0;
};

// At least one.
Spread spread_of(std::vector<double> values);

}  // namespace attncheck::bench
