#include "harness/timing/stopwatch.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace attncheck::timing {

Stopwatch::Stopwatch(c10::Device device) : device_(device) {}

void Stopwatch::mark() {
  if (device_.is_cpu()) {
    times_.push_back(std::chrono::steady_clock::now());
    return;
  }
  // The default of LibTorch is an event that keeps no time; that of the backend does.
  c10::Event event(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  event.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  events_.push_back(std::move(event));
}

std::vector<double> Stopwatch::laps() const {
  std::vector<double> seconds;
  for (size_t i = 1; i < times_.size(); ++i) {
    seconds.push_back(std::chrono::duration<double>(times_[i] - times_[i - 1]).count());
  }
  if (!events_.empty()) events_.back().synchronize();
  for (size_t i = 1; i < events_.size(); ++i) {
    seconds.push_back(events_[i - 1].elapsedTime(events_[i]) / 1e3);
  }
  return seconds;
}

std::vector<double> Stopwatch::times() const {
  std::vector<double> seconds;
  for (const std::chrono::steady_clock::time_point& time : times_) {
    seconds.push_back(std::chrono::duration<double>(time.time_since_epoch()).count());
  }
  return seconds;
}

}  // namespace attncheck::timing
