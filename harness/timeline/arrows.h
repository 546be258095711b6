#pragma once

#include <vector>

#include "harness/timeline/trace.h"

namespace attncheck::timeline {

// From a post to the end of the wait for what came of it.
struct Arrow {
  int from_rank = 0;
  double begin = 0;
  int to_rank = 0;
  double end = 0;
  std::string operation;  // of what was posted
};

// One for each meeting; none where nobody waits.
std::vector<Arrow> arrows_of(const Trace& trace);

// As pictures and traces have times: nanoseconds are enough, and keep a file short.
double microseconds(double seconds);

}  // namespace attncheck::timeline
