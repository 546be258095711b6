#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "properties/lab.h"

namespace attncheck {

// What one lane works with: a lab that nobody else uses while a job of the lane runs.
struct LaneLab {
  std::shared_ptr<Lab> lab;
  std::function<void()> forget = [] {};                       // what the lab remembers may go
  std::function<int64_t()> runs = [] { return int64_t{0}; };  // that the lab made so far
};

// Works on independent jobs side by side: a thread for each lane, each kept on a core of its own,
// so that the simulated ranks of its lab share that core. One lane is the calling thread itself,
// left where it is. What a job gives must not depend on the lane that it ran in.
class Lanes {
 public:
  using Job = std::function<void(LaneLab&)>;

  // One lane for each lab, at least one.
  explicit Lanes(std::vector<LaneLab> labs);
  // Finishes what was posted.
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  size_t count() const { return labs_.size(); }
  // For questions about subjects alone: a job may be using it.
  Lab& lab() { return *labs_.front().lab; }

  // Jobs start in the order in which they were posted. An exception of a job comes out of the
  // future. With one lane the job has run when this returns.
  std::future<void> post(Job job);
  // Posts and waits.
  void run(Job job) { post(std::move(job)).get(); }

 private:
  void live(LaneLab& lab, int core);

  std::vector<LaneLab> labs_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::packaged_task<void(LaneLab&)>> queue_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace attncheck
