#include "harness/drive/lanes.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include "sim/affinity.h"

namespace attncheck {

Lanes::Lanes(std::vector<LaneLab> labs) : labs_(std::move(labs)) {
  TORCH_CHECK(!labs_.empty(), "lanes need at least one lab, got none");
  if (count() == 1) return;
  const std::vector<int> cores = sim::granted_cores();
  for (size_t lane = 0; lane < count(); ++lane) {
    const int core = cores[lane % cores.size()];
    threads_.emplace_back([this, lane, core] { live(labs_[lane], core); });
  }
}

Lanes::~Lanes() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  posted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::future<void> Lanes::post(Job job) {
  std::packaged_task<void(LaneLab&)> task(std::move(job));
  std::future<void> done = task.get_future();
  if (threads_.empty()) {
    task(labs_.front());
    return done;
  }
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  posted_.notify_one();
  return done;
}

void Lanes::live(LaneLab& lab, int core) {
  const sim::CorePin pin(core);
  at::get_num_threads();  // sets LibTorch up in this thread, which would undo the next line
  at::set_num_threads(1);
  while (true) {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::packaged_task<void(LaneLab&)> task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task(lab);
  }
}

}  // namespace attncheck
