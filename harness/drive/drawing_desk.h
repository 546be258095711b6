#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/drive/lanes.h"

namespace attncheck {

// Where jobs in lanes have their cases drawn: RapidCheck works on one thread alone, the one that
// made the desk.
class DrawingDesk {
 public:
  // Runs the work on the desk's thread and waits; its exception comes out here.
  void run(const std::function<void()>& work);

  // To be called on the desk's thread: runs the jobs in lanes, and what they ask the desk for,
  // until all have ended. Once one has thrown no other begins; its exception then comes out.
  void run_jobs(Lanes& lanes, const std::vector<Lanes::Job>& jobs);

 private:
  void serve();

  const std::thread::id here_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable asked_;
  std::deque<std::packaged_task<void()>> queue_;
  size_t open_jobs_ = 0;
  bool failed_ = false;  // a job has thrown
};

}  // namespace attncheck
