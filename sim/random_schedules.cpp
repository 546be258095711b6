#include "sim/random_schedules.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace attncheck::sim {

namespace {

constexpr int kHorizons[] = {64, 256, 1024, 4096};
// Before the second pick no rank has run.
constexpr int kFirstChange = 2;

}  // namespace

void PctSchedule::start_run(int size) {
  SplitMix64 random(seed_);
  step_ = lowest_ = 0;
  priorities_.resize(size);
  std::iota(priorities_.begin(), priorities_.end(), 0);
  for (int i = size - 1; i > 0; --i) std::swap(priorities_[i], priorities_[random.below(i + 1)]);
  draw_changes(random);
}

void PctSchedule::draw_changes(SplitMix64& random) {
  const int horizon = kHorizons[random.below(std::size(kHorizons))];
  std::set<int64_t, std::greater<>> steps;
  while (static_cast<int>(steps.size()) < depth_ - 1) {
    steps.insert(kFirstChange + random.below(horizon));
  }
  changes_.assign(steps.begin(), steps.end());
}

int PctSchedule::pick(const ReadySet& ready, int last) {
  ++step_;
  if (!changes_.empty() && changes_.back() == step_) {
    drop(last);
    changes_.pop_back();
  }
  int best = ready.nth(0);
  for (int rank = best, left = ready.count(); left > 1; --left) {
    rank = ready.next_after(rank);
    if (priorities_[rank] > priorities_[best]) best = rank;
  }
  return best;
}

}  // namespace attncheck::sim
