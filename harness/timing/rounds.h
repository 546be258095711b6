#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/timing/timing_request.h"
#include "harness/transport.h"

namespace attncheck::timing {

// Why ranks have no times: of the first one that is lost or threw.
class NotTimed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Told after each round, the first, which does not count, among them: how long it took.
using AfterRound = std::function<void(int round, double seconds)>;

// The times of every rank, repetition after repetition. Each round is a request of its own, so that
// a long benchmark is heard of, and its limit is one of a round. The first round does not count:
// connections are made in it, and kernels are chosen. Throws NotTimed.
std::vector<RankTimes> timed_rounds(Transport& transport, const TimingRequest& request, int ranks,
                                    int repetitions, const AfterRound& after = {});

// A problem of the same heads and mask with so few tokens that its products are some 10 GFLOP, or
// the problem itself if it has no more.
Problem probe_of(const Problem& problem);

// What ranks are given for a round of so many passes: 20 times what the kernel alone would take for
// all of them, if its time grew from the probe's as the products do.
std::chrono::milliseconds round_limit(double probe_seconds, const Problem& probe,
                                      const Problem& problem, size_t passes);

// Times the kernel on the probe, and gives the ranks that limit where they had less. `kernel` is
// the pass on one rank. Throws NotTimed.
void allow_for(Transport& transport, const Case& kernel, size_t passes, int ranks);

}  // namespace attncheck::timing
