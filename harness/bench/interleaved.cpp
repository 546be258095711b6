#include "harness/bench/interleaved.h"

#include <algorithm>
#include <chrono>

namespace attncheck::bench {

double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Interleaved interleaved(int repetitions, const Work& over, const Work& under) {
  over();
  under();
  Interleaved result;
  std::vector<double> overs, unders;
  for (int i = 0; i < repetitions; ++i) {
    const bool over_first = i % 2 == 0;
    const double first = seconds_of(over_first ? over : under);
    const double second = seconds_of(over_first ? under : over);
    overs.push_back(over_first ? first : second);
    unders.push_back(over_first ? second : first);
    result.ratios.push_back(overs.back() / unders.back());
  }
  result.over = median_of(overs);
  result.under = median_of(unders);
  return result;
}

}  // namespace attncheck::bench
