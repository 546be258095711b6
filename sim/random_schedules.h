#pragma once

#include <cstdint>
#include <vector>

#include "sim/schedule.h"
#include "sim/splitmix.h"

namespace attncheck::sim {

// Any rank that can run, each as likely as the others. Every run starts from the seed.
class UniformSchedule final : public Schedule {
 public:
  explicit UniformSchedule(uint64_t seed) : seed_(seed), random_(seed) {}

  void start_run(int) override { random_ = SplitMix64(seed_); }
  bool preempts() const override { return true; }
  int pick(const ReadySet& ready, int) override { return ready.nth(random_.below(ready.count())); }

 private:
  uint64_t seed_;
  SplitMix64 random_;
};

// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatti, ASPLOS 2010).
// The rank of the highest priority runs. Priorities are a random permutation; at depth - 1 steps,
// drawn without repetition, the priority of the rank that ran last drops below all others. An error
// that needs `depth` ordering constraints among n ranks and k steps is met with a probability of at
// least 1 / (n k^(depth - 1)). A step is one call of `pick`. How many a run has is not known before
// it ends, so the horizon k of the drawn steps is drawn as well: 64, 256, 1024 or 4096 steps, each
// as likely. A rank that polls in vain drops below all others too.
class PctSchedule final : public Schedule {
 public:
  // The largest depth, so that all changes find a step within the shortest horizon.
  static constexpr int kMaxDepth = 64;

  // 1 <= depth <= kMaxDepth
  PctSchedule(int depth, uint64_t seed) : depth_(depth), seed_(seed) {}

  void start_run(int size) override;
  bool preempts() const override { return true; }
  int pick(const ReadySet& ready, int last) override;
  void on_poll(int rank) override { drop(rank); }

 private:
  void drop(int rank) { priorities_[rank] = --lowest_; }
  void draw_changes(SplitMix64& random);

  int depth_;
  uint64_t seed_;
  std::vector<int64_t> priorities_;  // by rank
  std::vector<int64_t> changes_;     // steps, the next one last
  int64_t step_ = 0;
  int64_t lowest_ = 0;
};

}  // namespace attncheck::sim
