#pragma once

#include <cstdint>
#include <vector>

namespace attncheck::sim {

// The ranks that could run now: a set of the numbers 0..size-1.
class ReadySet {
 public:
  explicit ReadySet(int size);

  void insert(int rank);
  void erase(int rank);
  bool contains(int rank) const;
  int count() const;
  bool empty() const { return count() == 0; }

  // The first member after `rank`, going around; -1 when the set is empty.
  int next_after(int rank) const;
  // The index-th member in ascending order; index < count().
  int nth(int index) const;

 private:
  std::vector<uint64_t> words_;
};

// Decides which rank runs next: the one place where the order of a simulated run comes from. A rank
// runs until it has to wait for a peer, so `pick` is asked once per wait and once per rank that
// ends.
class Schedule {
 public:
  virtual ~Schedule() = default;
  // Called before the first pick of every run, so that equal runs get equal orders.
  virtual void start_run() {}
  // A member of `ready`, which is never empty. `last` ran before (size - 1 at the start of a run).
  virtual int pick(const ReadySet& ready, int last) = 0;
};

class RoundRobin final : public Schedule {
 public:
  int pick(const ReadySet& ready, int last) override { return ready.next_after(last); }
};

}  // namespace attncheck::sim
