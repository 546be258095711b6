#include "harness/drive/drawing_desk.h"

#include <utility>

namespace attncheck {

void DrawingDesk::run(const std::function<void()>& work) {
  if (std::this_thread::get_id() == here_) return work();
  std::packaged_task<void()> task(work);
  std::future<void> done = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
    asked_.notify_one();
  }
  done.get();
}

void DrawingDesk::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    asked_.wait(lock, [this] { return open_jobs_ == 0 || !queue_.empty(); });
    if (queue_.empty()) return;
    std::packaged_task<void()> task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

void DrawingDesk::run_jobs(Lanes& lanes, const std::vector<Lanes::Job>& jobs) {
  failed_ = false;
  open_jobs_ = jobs.size();
  const auto end_job = [this](bool failed) {
    const std::lock_guard lock(mutex_);
    failed_ = failed_ || failed;
    --open_jobs_;
    asked_.notify_one();
  };
  const auto may_begin = [this] {
    const std::lock_guard lock(mutex_);
    return !failed_;
  };
  std::vector<std::future<void>> ends;
  for (const Lanes::Job& job : jobs) {
    ends.push_back(lanes.post([&job, end_job, may_begin](LaneLab& lane) {
      try {
        if (may_begin()) job(lane);
      } catch (...) {
        end_job(true);
        throw;
      }
      end_job(false);
    }));
  }
  serve();
  for (std::future<void>& end : ends) end.wait();
  for (std::future<void>& end : ends) end.get();
}

}  // namespace attncheck
