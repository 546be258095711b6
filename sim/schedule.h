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
// runs until it has to wait for a peer, polls for one, or ends, and under a schedule that preempts
// until it has posted something; `pick` is asked at each of these points.
class Schedule {
 public:
  virtual ~Schedule() = default;
  // Called before the first pick of every run of `size` ranks, so that equal runs get equal orders.
  virtual void start_run(int size) {}
  // Whether a rank gives up its turn after a post, too. The same for the life of the schedule.
  virtual bool preempts() const { return false; }
  // A member of `ready`, which is never empty. `last` ran before (size - 1 at the start of a run).
  virtual int pick(const ReadySet& ready, int last) = 0;
  // The rank asks in vain for something that it could wait for: others must come before it asks
  // again, or it asks for ever.
  virtual void on_poll(int rank) {}
};

class RoundRobin final : public Schedule {
 public:
  int pick(const ReadySet& ready, int last) override { return ready.next_after(last); }
};

}  // namespace attncheck::sim
