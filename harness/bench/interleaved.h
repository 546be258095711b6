#pragma once

#include <functional>

#include "harness/bench/budget.h"

namespace attncheck::bench {

using Work = std::function<void()>;

// What it took, in seconds.
double seconds_of(const Work& work);

// The times of two pieces of work, in turn, each first as often as second, after one of each that
// does not count. Ratios are of one repetition: what slows both does not show.
struct Interleaved {
  std::vector<double> ratios;  // over / under
  double over = 0, under = 0;  // medians, in seconds
};
Interleaved interleaved(int repetitions, const Work& over, const Work& under);

double median_of(std::vector<double> values);

}  // namespace attncheck::bench
