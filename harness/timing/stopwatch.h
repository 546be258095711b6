#pragma once

#include <chrono>
#include <vector>

#include <c10/core/Device.h>
#include <c10/core/Event.h>

namespace attncheck::timing {

// Times between marks. On a GPU a mark is an event on the device's current stream, which the host
// does not wait for: what is timed is the device's work, and what it waited for. On CPU it is the
// time of day.
class Stopwatch {
 public:
  explicit Stopwatch(c10::Device device);

  void mark();
  // Waits until the last mark is reached. Seconds from each mark to the next.
  std::vector<double> laps() const;
  // Of marks on CPU: when, in seconds of the clock of all processes of the machine.
  std::vector<double> times() const;

 private:
  c10::Device device_;
  std::vector<c10::Event> events_;
  std::vector<std::chrono::steady_clock::time_point> times_;
};

}  // namespace attncheck::timing
